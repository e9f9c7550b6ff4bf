// How a Google workbook is connected, step by step: key, share, address, test, preview, connect. Nothing is written before the last one.
import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import {
  connectGoogle,
  previewGoogle,
  sendGoogleKey,
  testGoogle,
  type GoogleConnection,
  type GooglePreview,
  type GoogleTest,
} from "@/api/planilla-google";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { classes } from "@/ui/classes";
import { Field } from "@/ui/Field";
import { FileDrop } from "@/ui/FileDrop";
import { notify } from "@/ui/notices";
import { CheckIcon } from "@/ui/icons";
import { FirstConnectionPreview } from "./FirstConnectionPreview";
import styles from "./GoogleCard.module.css";
import { isSheetAddress, KEY_BYTES_MAX, keyOf } from "./keyFile";
import { GOOGLE } from "./reads";

interface ConnectStepsProps {
  google: GoogleConnection;
  onConnected: (() => void) | undefined;
}

export function ConnectSteps({ google: { cuenta, hoja }, onConnected }: ConnectStepsProps) {
  const t = useWords();
  const [address, setAddress] = useState(hoja?.direccion ?? "");
  const [tested, setTested] = useState<GoogleTest | null>(null);
  const change = (text: string): void => {
    setAddress(text);
    setTested(null);
  };
  return (
    <>
      <p className={styles.hint}>{t("google.explain")}</p>
      <ol className={styles.steps}>
        <Step number={1} title={t("google.step_key")} done={cuenta !== null}>
          <KeyStep account={cuenta} />
        </Step>
        {cuenta !== null && (
          <Step number={2} title={t("google.step_share")} done={tested !== null}>
            <ShareStep account={cuenta} />
          </Step>
        )}
        {cuenta !== null && (
          <Step number={3} title={t("google.step_address")} done={tested?.puede_escribir === true}>
            <AddressStep address={address} tested={tested} onAddress={change} onTested={setTested} />
          </Step>
        )}
        {tested?.puede_escribir === true && (
          <Step number={4} title={t("google.step_preview")} done={false}>
            <PreviewStep address={address} onConnected={onConnected} />
          </Step>
        )}
      </ol>
    </>
  );
}

interface StepProps {
  number: number;
  title: string;
  done: boolean;
  children: ReactNode;
}

function Step({ number, title, done, children }: StepProps) {
  return (
    <li className={styles.step}>
      <span className={classes(styles.number, done && styles.done)} aria-hidden="true">
        {done ? <CheckIcon size={22} strokeWidth={4} /> : number}
      </span>
      <div className={styles.stepBody}>
        <h3 className={styles.stepTitle}>{title}</h3>
        {children}
      </div>
    </li>
  );
}

function KeyStep({ account }: { account: string | null }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [wrong, setWrong] = useState(false);
  const [again, setAgain] = useState(false);
  const choose = (file: File): void =>
    run(async () => {
      const key = file.size > KEY_BYTES_MAX ? null : keyOf(await file.text());
      setWrong(key === null);
      if (key === null) return;
      await sendGoogleKey(key);
      setAgain(false);
      await cache.invalidateQueries({ queryKey: GOOGLE });
    });
  if (account !== null && !again) {
    return (
      <div className={styles.buttons}>
        <p className={styles.account}>{account}</p>
        <Button onClick={() => setAgain(true)}>{t("google.other_key")}</Button>
      </div>
    );
  }
  return (
    <>
      <p className={styles.hint}>{t("google.key_why")}</p>
      <FileDrop label={t("google.choose_key")} hint={t("google.key_hint")} accept=".json,application/json" disabled={busy} onFile={choose} />
      {wrong && <Callout tone="bad">{t("google.wrong_key")}</Callout>}
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {pinPad}
    </>
  );
}

function ShareStep({ account }: { account: string }) {
  const t = useWords();
  const copy = (): void =>
    void navigator.clipboard.writeText(account).then(
      () => notify("good", t("google.copied")),
      () => notify("warn", t("google.not_copied")),
    );
  return (
    <>
      <p className={styles.hint}>{t("google.share_why")}</p>
      <div className={styles.buttons}>
        <p className={styles.account}>{account}</p>
        {"clipboard" in navigator && <Button onClick={copy}>{t("google.copy")}</Button>}
      </div>
    </>
  );
}

interface AddressStepProps {
  address: string;
  tested: GoogleTest | null;
  onAddress: (address: string) => void;
  onTested: (tested: GoogleTest) => void;
}

function AddressStep({ address, tested, onAddress, onTested }: AddressStepProps) {
  const t = useWords();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => onTested(await testGoogle(address.trim())));
      }}
    >
      <Field
        label={t("google.address")}
        placeholder="https://docs.google.com/spreadsheets/d/…"
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        value={address}
        onChange={(event) => onAddress(event.target.value)}
      />
      <div>
        <Button type="submit" disabled={busy || !isSheetAddress(address)}>
          {busy ? t("google.testing") : t("google.test")}
        </Button>
      </div>
      {tested && <TestResult tested={tested} />}
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {pinPad}
    </form>
  );
}

function TestResult({ tested: { titulo, hojas, puede_escribir } }: { tested: GoogleTest }) {
  const t = useWords();
  return (
    <Callout tone={puede_escribir ? "good" : "warn"}>
      <p>
        <strong>{titulo}</strong> · {t("google.sheets", { sheets: hojas.join(", ") })}
      </p>
      <p>{t(puede_escribir ? "google.can_write" : "google.cannot_write")}</p>
    </Callout>
  );
}

function PreviewStep({ address, onConnected }: { address: string; onConnected: (() => void) | undefined }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [preview, setPreview] = useState<GooglePreview | null>(null);
  const look = (): void => run(async () => setPreview(await previewGoogle(address.trim())));
  const connect = (): void =>
    run(async () => {
      await connectGoogle(address.trim());
      notify("good", t("google.now_connected"));
      onConnected?.();
      await cache.invalidateQueries({ queryKey: GOOGLE });
    });
  return (
    <>
      <p className={styles.hint}>{t("google.preview_why")}</p>
      {preview && <FirstConnectionPreview preview={preview} />}
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div className={styles.buttons}>
        <Button disabled={busy} onClick={look}>
          {busy && !preview ? t("google.looking") : t("google.preview")}
        </Button>
        {preview && (
          <Button tone="signal" disabled={busy} onClick={connect}>
            {busy ? t("google.connecting") : t("google.connect")}
          </Button>
        )}
      </div>
      {pinPad}
    </>
  );
}
