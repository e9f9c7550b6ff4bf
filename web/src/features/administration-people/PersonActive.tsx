// Whether a person works here. Whoever leaves is deactivated, never deleted: the trail keeps what they did.
import { useState } from "react";

import { activatePerson, deactivatePerson, type Person } from "@/api/personas";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { ButtonLink } from "@/ui/ButtonLink";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { TitledCard } from "@/ui/TitledCard";
import { fullName } from "./people";
import styles from "./Person.module.css";
import { useFollowChange } from "./followChange";

export function PersonActive({ person }: { person: Person }) {
  const t = useWords();
  const follow = useFollowChange();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [asking, setAsking] = useState(false);
  const deactivate = (): void => {
    setAsking(false);
    run(() => follow(deactivatePerson(person.id)));
  };
  return (
    <TitledCard title={t("people.active_title")}>
      <p>{t(person.activo ? "people.is_active" : "people.is_inactive")}</p>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div className={styles.buttons}>
        <ButtonLink to="/administracion/accesos" search={{ persona: person.id }}>
          {t("accesses.of_person")}
        </ButtonLink>
        {person.activo ? (
          <Button disabled={busy} onClick={() => setAsking(true)}>
            {t("people.deactivate")}
          </Button>
        ) : (
          <Button tone="signal" disabled={busy} onClick={() => run(() => follow(activatePerson(person.id)))}>
            {t("people.activate")}
          </Button>
        )}
      </div>
      {asking && (
        <Dialog
          title={t("people.ask_deactivate", { name: fullName(person) })}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button size="large" onClick={() => setAsking(false)}>
                {t("app.cancel")}
              </Button>
              <Button tone="bad" size="large" onClick={deactivate}>
                {t("people.deactivate")}
              </Button>
            </>
          }
        >
          <p>{t("people.deactivate_why")}</p>
        </Dialog>
      )}
      {pinPad}
    </TitledCard>
  );
}
