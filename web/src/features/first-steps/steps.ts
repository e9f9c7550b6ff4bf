// The four steps of the first start: which one is next. Pure.
import type { FirstStepsAnswer, StepName } from "@/api/pasos";

export const STEPS = ["administrador", "taller", "spools", "tablet"] as const satisfies readonly StepName[];

export const isDone = ({ pasos }: FirstStepsAnswer, step: StepName): boolean =>
  pasos.some(({ paso, listo }) => paso === step && listo);

export const doneCount = (answer: FirstStepsAnswer): number => STEPS.filter((step) => isDone(answer, step)).length;

/** The first that is not done; null: all are. */
export const firstOpen = (answer: FirstStepsAnswer): StepName | null => STEPS.find((step) => !isDone(answer, step)) ?? null;

/** The one that follows, done or not; null after the last one. */
export const stepAfter = (step: StepName): StepName | null => STEPS[STEPS.indexOf(step) + 1] ?? null;
