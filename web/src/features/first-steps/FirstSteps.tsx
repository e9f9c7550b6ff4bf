// The first start after the administrator exists: the shop, its spools, its first tablet. Each step can be left and taken up again.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode, type RefObject } from "react";

import { setStepDone, type FirstStepsAnswer, type StepName } from "@/api/pasos";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { Outcome } from "@/ui/Outcome";
import styles from "./FirstSteps.module.css";
import { FIRST_STEPS, useFirstSteps } from "./reads";
import { StepList } from "./StepList";
import { firstOpen, isDone, stepAfter } from "./steps";

export interface StepControls {
  /** The step is done: the next one opens. */
  done: () => void;
  /** The step may have become done by itself; it stays open. */
  changed: () => void;
  busy: boolean;
  /** The button that leaves the step for later. */
  later: ReactNode;
}

export interface FirstStepsProps {
  shop: (controls: StepControls) => ReactNode;
  spools: (controls: StepControls) => ReactNode;
  tablet: (controls: StepControls) => ReactNode;
  /** What to do when all is done, or left for later. */
  end: ReactNode;
}

export function FirstSteps(props: FirstStepsProps) {
  const t = useWords();
  const readError = useReadErrorText();
  const { data, isError } = useFirstSteps();
  if (data) return <Steps answer={data} {...props} />;
  return isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />;
}

type Shown = StepName | "end";

function Steps({ answer, shop, spools, tablet, end }: FirstStepsProps & { answer: FirstStepsAnswer }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, forget, pinPad } = useOfficeRequest();
  const [shown, setShown] = useState<Shown>(firstOpen(answer) ?? "end");
  const [focusWhy, setMoved] = useFocusAfterMove(shown);
  const open = (step: Shown): void => {
    forget();
    setMoved();
    setShown(step);
  };
  const mark = async (step: StepName): Promise<void> => {
    cache.setQueryData(FIRST_STEPS, await setStepDone(step, true));
  };
  const controlsOf = (step: StepName): StepControls => ({
    busy,
    done: () =>
      run(async () => {
        await mark(step);
        open(stepAfter(step) ?? "end");
      }),
    changed: () => void cache.invalidateQueries({ queryKey: FIRST_STEPS }),
    later: (
      <Button size="large" onClick={() => open(stepAfter(step) ?? "end")}>
        {t("first_steps.later")}
      </Button>
    ),
  });
  return (
    <div className={styles.steps}>
      <StepList shown={shown === "end" ? null : shown} isDone={(step) => isDone(answer, step)} onOpen={open} />
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {shown !== "end" && (
        <p className={styles.why} tabIndex={-1} ref={focusWhy}>
          {t(`first_steps.why.${shown}`)}
        </p>
      )}
      {shown === "taller" && shop(controlsOf("taller"))}
      {shown === "spools" && spools(controlsOf("spools"))}
      {shown === "tablet" && tablet(controlsOf("tablet"))}
      {shown === "end" && <End answer={answer} onOpen={open} />}
      {shown === "end" && end}
      {pinPad}
    </div>
  );
}

/** The next step begins above the button that led to it: its first sentence gets the focus, and so comes into sight. */
function useFocusAfterMove(shown: Shown): [RefObject<HTMLParagraphElement | null>, () => void] {
  const sentence = useRef<HTMLParagraphElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) sentence.current?.focus();
    moved.current = false;
  }, [shown]);
  return [sentence, () => (moved.current = true)];
}

function End({ answer, onOpen }: { answer: FirstStepsAnswer; onOpen: (step: StepName) => void }) {
  const t = useWords();
  const left = firstOpen(answer);
  if (left === null) return <Outcome tone="good" text={t("first_steps.finished")} />;
  return (
    <Outcome tone="warn" text={t("first_steps.left", { step: t(`first_steps.step.${left}`) })}>
      <Button onClick={() => onOpen(left)}>{t("first_steps.take_up")}</Button>
    </Outcome>
  );
}
