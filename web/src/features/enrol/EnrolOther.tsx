// The administrator enrols another device: shows its QR code, then confirms the number that the device shows.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { DeviceKind, EnrolmentAnswer } from "@/api/identity-types";
import { cancelEnrolment, confirmEnrolment, listDevices, makeEnrolment } from "@/api/inscripciones";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Choice } from "@/ui/Choice";
import { Field } from "@/ui/Field";
import { Outcome } from "@/ui/Outcome";
import { QrImage } from "@/ui/QrImage";
import styles from "./Enrol.module.css";
import { useRequest } from "./useRequest";
import { WaitingEnrolments } from "./WaitingEnrolments";

export const DEVICES = ["devices"];
const ASK_EVERY_MS = 2_000;
const KINDS = ["tablet", "tablero", "oficina"] as const satisfies readonly DeviceKind[];

/** `onEnrolled`: the administrator has confirmed a device. */
export function EnrolOther({ onEnrolled }: { onEnrolled?: () => void }) {
  const t = useWords();
  const [enrolment, setEnrolment] = useState<EnrolmentAnswer | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const finish = (name: string): void => {
    setDone(name);
    if (name !== "") onEnrolled?.();
  };
  if (enrolment) {
    return (
      <ShowCode
        enrolment={enrolment}
        onDone={(name) => {
          setEnrolment(null);
          finish(name);
        }}
      />
    );
  }
  return (
    <>
      {done !== null && done !== "" && <Outcome tone="good" text={t("enrol.other_done", { name: done })} />}
      <WaitingEnrolments onConfirmed={finish} />
      <NameDevice onMade={setEnrolment} />
    </>
  );
}

function NameDevice({ onMade }: { onMade: (enrolment: EnrolmentAnswer) => void }) {
  const t = useWords();
  const { busy, problem, run } = useRequest();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<DeviceKind>("tablet");
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        run(async () => onMade(await makeEnrolment(name.trim(), kind)));
      }}
    >
      <Field label={t("enrol.name")} placeholder={t("enrol.name_example")} value={name} maxLength={60} onChange={(event) => setName(event.target.value)} />
      <Choice
        label={t("enrol.kind")}
        value={kind}
        options={KINDS.map((value) => ({ value, label: t(`enrol.kinds.${value}`) }))}
        onChange={setKind}
      />
      <Problem text={problem} />
      <Button type="submit" tone="signal" size="large" disabled={busy || name.trim() === ""}>
        {t("enrol.other")}
      </Button>
    </form>
  );
}

function ShowCode({ enrolment, onDone }: { enrolment: EnrolmentAnswer; onDone: (name: string) => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run } = useRequest();
  const devices = useQuery({ queryKey: DEVICES, queryFn: ({ signal }) => listDevices(signal), refetchInterval: ASK_EVERY_MS, staleTime: 0 });
  const found = devices.data?.inscripciones.find(({ id }) => id === enrolment.id);
  const number = found?.numero ?? null;
  const end = (call: Promise<unknown>, name: string): void =>
    run(async () => {
      await call;
      await cache.invalidateQueries({ queryKey: DEVICES });
      onDone(name);
    });
  return number === null ? (
    <>
      <Address path={enrolment.direccion} />
      <Problem text={problem} />
      <div className={styles.buttons}>
        <Button size="large" disabled={busy} onClick={() => end(cancelEnrolment(enrolment.id), "")}>
          {t("enrol.stop")}
        </Button>
      </div>
    </>
  ) : (
    <>
      <h2 className={styles.text}>{t("enrol.same_number")}</h2>
      <p className={styles.number}>{number}</p>
      <Problem text={problem} />
      <div className={styles.buttons}>
        <Button size="large" disabled={busy} onClick={() => end(cancelEnrolment(enrolment.id), "")}>
          {t("enrol.another_number")}
        </Button>
        <Button tone="signal" size="large" disabled={busy} onClick={() => end(confirmEnrolment(enrolment.id, number), found?.nombre ?? "")}>
          {t("enrol.confirm")}
        </Button>
      </div>
    </>
  );
}

/** The address as this browser knows the server; a tablet cannot reach this computer's own address. */
function Address({ path }: { path: string }) {
  const t = useWords();
  const address = new URL(path, location.origin).href;
  const onlyHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return (
    <>
      <h2 className={styles.text}>{t("enrol.scan")}</h2>
      <QrImage text={address} label={t("enrol.qr")} />
      <p className={styles.address}>{address}</p>
      {onlyHere && <p className={styles.warning}>{t("enrol.only_here")}</p>}
    </>
  );
}

function Problem({ text }: { text: string | null }) {
  return (
    text !== null && (
      <p role="alert" className={styles.problem}>
        {text}
      </p>
    )
  );
}
