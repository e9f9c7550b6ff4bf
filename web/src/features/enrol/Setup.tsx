// The first start: whoever has the setup code becomes the administrator, and this browser is enrolled.
import { useState, type ReactNode } from "react";

import { makeAdministrator } from "@/api/configuracion";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { refreshAccess } from "@/session/access";
import { beginSession } from "@/session/signIn";
import { allShown } from "@/shop/fieldErrors";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { Outcome } from "@/ui/Outcome";
import { takeCode, useCodeOfLink } from "./codeInAddress";
import styles from "./Enrol.module.css";
import { isReady, type SetupFields } from "./setupFields";
import { useRequest } from "./useRequest";

const EMPTY: SetupFields = { codigo: "", id: "", nombre: "", apellido: "", pin: "", again: "", dispositivo: "" };
/** Each field's name in the body of the request; the repeated PIN is not sent. */
const FIELD_SENT: Record<keyof SetupFields, string> = {
  codigo: "codigo",
  id: "worker_id",
  nombre: "nombre",
  apellido: "apellido",
  pin: "pin",
  again: "",
  dispositivo: "dispositivo",
};
const codeOfAddress = takeCodeOnSetupPage();

/** Read when this file is loaded, which only the setup page does: React may render the page twice. */
function takeCodeOnSetupPage(): string {
  return location.pathname === "/configurar" ? takeCode() : "";
}

export interface SetupProps {
  /** Where in the first start this is. */
  steps: (made: boolean) => ReactNode;
  /** What the new administrator does next. */
  children: ReactNode;
}

export function Setup({ steps, children }: SetupProps) {
  const t = useWords();
  const [administrator, setAdministrator] = useState<Worker | null>(null);
  return (
    <main className={styles.page}>
      <h1 className={styles.title}>{t("setup.title")}</h1>
      {steps(administrator !== null)}
      {administrator ? (
        <>
          <Outcome tone="good" text={t("setup.made", { label: administrator.label })} />
          {children}
        </>
      ) : (
        <SetupForm onMade={setAdministrator} />
      )}
    </main>
  );
}

function SetupForm({ onMade }: { onMade: (worker: Worker) => void }) {
  const t = useWords();
  const { busy, problem, errors, run } = useRequest();
  const [fields, setFields] = useState<SetupFields>({ ...EMPTY, codigo: codeOfAddress });
  const [asksCode, setAsksCode] = useState(codeOfAddress === "");
  useCodeOfLink((codigo) => setFields((before) => ({ ...before, codigo })));
  const send = async (): Promise<void> => {
    const { codigo, id, nombre, apellido, pin, dispositivo } = fields;
    const asked = makeAdministrator({ codigo: codigo.trim(), worker_id: Number(id), nombre, apellido, pin, dispositivo });
    const answer = await asked.catch((error: unknown) => {
      setAsksCode(true); // it may be the code: another one can be typed
      throw error;
    });
    await beginSession(answer);
    await refreshAccess();
    onMade(answer.worker);
  };
  const field = (name: keyof SetupFields, more: Partial<Parameters<typeof Field>[0]> = {}) => (
    <Field
      label={t(`setup.${name}`)}
      value={fields[name]}
      error={errors[FIELD_SENT[name]]}
      onChange={(event) => setFields({ ...fields, [name]: event.target.value })}
      {...more}
    />
  );
  const pin = { type: "password", inputMode: "numeric", maxLength: 6, autoComplete: "new-password" } as const;
  const differ = fields.again.length === 6 && fields.pin !== fields.again;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        run(send);
      }}
    >
      <p className={styles.text}>{t("setup.explain")}</p>
      {asksCode && field("codigo", { autoCapitalize: "none" })}
      {field("id", { inputMode: "numeric" })}
      <div className={styles.two}>
        {field("nombre")}
        {field("apellido")}
      </div>
      <div className={styles.two}>
        {field("pin", pin)}
        {field("again", pin)}
      </div>
      {differ && <p className={styles.problem}>{t("setup.differ")}</p>}
      {field("dispositivo", { placeholder: t("setup.device_example") })}
      {problem !== null && !allShown(errors, Object.values(FIELD_SENT)) && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <Button type="submit" tone="signal" size="large" disabled={busy || !isReady(fields)}>
        {t("setup.make")}
      </Button>
    </form>
  );
}
