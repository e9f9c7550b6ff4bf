// What the workbook asked for and an administrator has to decide: privileges, or a new name or return of somebody who has one.
import { decidePrivileges, type Person } from "@/api/personas";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { TitledCard } from "@/ui/TitledCard";
import { fullName } from "./people";
import styles from "./Person.module.css";
import { useFollowChange, useReadAgain } from "./followChange";

export function WaitingPrivileges({ person }: { person: Person }) {
  const t = useWords();
  const follow = useFollowChange();
  const readAgain = useReadAgain();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const decide = (confirmar: boolean): void =>
    run(async () => {
      try {
        await follow(decidePrivileges(person, confirmar));
      } catch (error) {
        void readAgain(); // the workbook may ask for something else by now
        throw error;
      }
    });
  const { cambio_pendiente: change } = person;
  return (
    <TitledCard title={t("people.asks")} accent="warn">
      <ul className={styles.asked}>
        {person.roles_pendientes.map((rol) => (
          <li key={rol}>{t("people.asks_role", { rol: t(`people.roles.${rol}`) })}</li>
        ))}
        {change && fullName(change) !== fullName(person) && <li>{t("people.asks_name", { name: fullName(change) })}</li>}
        {change && change.activo !== person.activo && <li>{t(change.activo ? "people.asks_activate" : "people.asks_deactivate")}</li>}
      </ul>
      <p>{t("people.asks_why")}</p>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div className={styles.buttons}>
        <Button disabled={busy} onClick={() => decide(false)}>
          {t("people.refuse")}
        </Button>
        <Button tone="signal" disabled={busy} onClick={() => decide(true)}>
          {t("people.confirm")}
        </Button>
      </div>
      {pinPad}
    </TitledCard>
  );
}
