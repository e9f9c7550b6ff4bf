// Devices that used their code and wait for the administrator, also when the page that made the code was closed meanwhile.
import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { DevicesAnswer } from "@/api/identity-types";
import { cancelEnrolment, confirmEnrolment, listDevices } from "@/api/inscripciones";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import styles from "./Enrol.module.css";
import { DEVICES } from "./EnrolOther";
import { useRequest } from "./useRequest";

type Enrolment = DevicesAnswer["inscripciones"][number];

export function WaitingEnrolments({ onConfirmed }: { onConfirmed: (name: string) => void }) {
  const devices = useQuery({ queryKey: DEVICES, queryFn: ({ signal }) => listDevices(signal) });
  const waiting = devices.data?.inscripciones ?? [];
  return waiting.map(
    (enrolment) =>
      enrolment.numero !== null && (
        <Waiting key={enrolment.id} enrolment={enrolment} number={enrolment.numero} onConfirmed={() => onConfirmed(enrolment.nombre)} />
      ),
  );
}

function Waiting({ enrolment: { id, nombre }, number, onConfirmed }: { enrolment: Enrolment; number: string; onConfirmed: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run } = useRequest();
  const end = (call: () => Promise<unknown>, then: () => void): void =>
    run(async () => {
      await call();
      then();
      await cache.invalidateQueries({ queryKey: DEVICES });
    });
  return (
    <Callout tone="warn">
      <p>{t("devices.waits", { name: nombre, number })}</p>
      {problem !== null && <p role="alert">{problem}</p>}
      <div className={styles.buttons}>
        <Button disabled={busy} onClick={() => end(() => cancelEnrolment(id), () => undefined)}>
          {t("enrol.another_number")}
        </Button>
        <Button tone="signal" disabled={busy} onClick={() => end(() => confirmEnrolment(id, number), onConfirmed)}>
          {t("enrol.confirm")}
        </Button>
      </div>
    </Callout>
  );
}
