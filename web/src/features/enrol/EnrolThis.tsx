// This device enrols itself: it uses the code of the address, shows a number, and goes on when an administrator has confirmed it.
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { redeemEnrolmentCode } from "@/api/inscripciones";
import type { Device } from "@/api/identity-types";
import { useWords } from "@/i18n";
import { refreshAccess, useAccess } from "@/session/access";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { BackIcon } from "@/ui/icons";
import { Outcome } from "@/ui/Outcome";
import { takeCode, useCodeOfLink } from "./codeInAddress";
import styles from "./Enrol.module.css";
import { EnrolSteps } from "./EnrolSteps";
import { useRequest } from "./useRequest";

const ASK_EVERY_MS = 2_000;
/** Long enough to read that it worked. */
const GO_ON_MS = 1_500;

export function EnrolThis({ onEnrolled }: { onEnrolled: (device: Device) => void }) {
  const t = useWords();
  const { access } = useAccess();
  const { busy, problem, run } = useRequest();
  const [number, setNumber] = useState<string | null>(null);
  const redeem = (code: string): void =>
    run(async () => {
      setNumber((await redeemEnrolmentCode(code)).numero);
      await refreshAccess();
    });
  const unused = useCodeOfAddress(redeem);
  const shown = number ?? access?.inscripcion?.numero ?? null;
  const expired = access?.inscripcion?.estado === "vencida";
  const device = access?.dispositivo ?? null;
  useAskAgain(shown !== null && device === null);
  useGoOn(number === null ? null : device, onEnrolled);
  return (
    <main className={styles.page}>
      <h1 className={styles.title}>{t("enrol.title")}</h1>
      {device ? (
        <>
          <Outcome tone="good" text={t("enrol.done", { name: device.nombre })} />
          {unused !== null && <Button onClick={() => redeem(unused)}>{t("enrol.again")}</Button>}
        </>
      ) : shown !== null && !expired ? (
        <>
          <p className={styles.text}>{t("enrol.show_number")}</p>
          <p className={styles.number} role="status">
            {shown}
          </p>
          <p className={styles.text}>{t("enrol.waiting")}</p>
        </>
      ) : (
        <>
          {expired && <p className={styles.problem}>{t("enrol.expired")}</p>}
          <EnrolSteps />
          <TypeCode busy={busy} onCode={redeem} />
          <Link to="/" className={styles.back}>
            <BackIcon size={24} />
            {t("app.back")}
          </Link>
        </>
      )}
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </main>
  );
}

/** Without a code in the address it can be typed. */
function TypeCode({ busy, onCode }: { busy: boolean; onCode: (code: string) => void }) {
  const t = useWords();
  const [code, setCode] = useState("");
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onCode(code.trim());
      }}
    >
      <Field label={t("enrol.code")} value={code} onChange={(event) => setCode(event.target.value)} autoCapitalize="none" />
      <Button type="submit" tone="signal" size="large" disabled={busy || code.trim() === ""}>
        {t("enrol.use_code")}
      </Button>
    </form>
  );
}

/** A code works once: it is used once, however often React runs the effect. A device that is enrolled already would lose what it
 * is, so there a person decides; the code that was not used is returned. */
function useCodeOfAddress(redeem: (code: string) => void): string | null {
  const taken = useRef(false);
  const [unused, setUnused] = useState<string | null>(null);
  const use = (code: string): void =>
    void refreshAccess().then((access) => (access?.dispositivo ? setUnused(code) : redeem(code)));
  useEffect(() => {
    if (taken.current) return;
    taken.current = true;
    const code = takeCode();
    if (code === "") return;
    use(code);
  });
  useCodeOfLink(use);
  return unused;
}

function useAskAgain(waiting: boolean): void {
  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => void refreshAccess(), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [waiting]);
}

function useGoOn(device: Device | null, onEnrolled: (device: Device) => void): void {
  const latest = useRef(onEnrolled);
  useEffect(() => {
    latest.current = onEnrolled;
  });
  useEffect(() => {
    if (!device) return;
    const timer = setTimeout(() => latest.current(device), GO_ON_MS);
    return () => clearTimeout(timer);
  }, [device]);
}
