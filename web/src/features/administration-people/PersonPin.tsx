// A person's PIN: whether they have one, locks after wrong attempts, and a new one on a card. A PIN is shown once.
import { useState } from "react";

import { giveNewPin, unlockPin, type Person, type PinCard } from "@/api/personas";
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { timestampText } from "@/shop/clock";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { TitledCard } from "@/ui/TitledCard";
import { PrintIcon } from "@/ui/icons";
import { fullName } from "./people";
import styles from "./Person.module.css";
import { PinCards } from "./PinCards";
import { useFollowChange, useReadAgain } from "./followChange";

export function PersonPin({ person }: { person: Person }) {
  const t = useWords();
  const isSelf = useWorker()?.id === person.id;
  const follow = useFollowChange();
  const readAgain = useReadAgain();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [asking, setAsking] = useState(false);
  const [card, setCard] = useState<PinCard | null>(null);
  const { id, label, nombre, apellido, badge } = person;
  const give = (): void => {
    setAsking(false);
    run(async () => {
      const { pin } = await giveNewPin(id);
      setCard({ id, label, nombre, apellido, badge, pin });
      await readAgain(id);
    });
  };
  return (
    <TitledCard title={t("people.pin")}>
      <p>{t(person.tiene_pin ? "people.pin_has" : "people.pin_none")}</p>
      {person.bloqueado.map(({ dispositivo, desde }) => (
        <Callout key={dispositivo ?? ""} tone="bad">
          {t(dispositivo === null ? "people.locked_everywhere" : "people.locked_on", {
            device: dispositivo ?? "",
            since: timestampText(desde),
          })}
        </Callout>
      ))}
      {isSelf && <p className={styles.hint}>{t("people.own_pin")}</p>}
      {!person.activo && <p className={styles.hint}>{t("people.pin_inactive")}</p>}
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div className={styles.buttons}>
        {person.bloqueado.length > 0 && (
          <Button disabled={busy} onClick={() => run(() => follow(unlockPin(id)))}>
            {t("people.unlock")}
          </Button>
        )}
        {!isSelf && person.activo && (
          <Button tone="signal" icon={<PrintIcon />} disabled={busy} onClick={() => (person.tiene_pin ? setAsking(true) : give())}>
            {t("people.new_pin")}
          </Button>
        )}
      </div>
      {asking && <AskNewPin person={person} onGive={give} onClose={() => setAsking(false)} />}
      {card && <PinCards cards={[card]} onClose={() => setCard(null)} />}
      {pinPad}
    </TitledCard>
  );
}

function AskNewPin({ person, onGive, onClose }: { person: Person; onGive: () => void; onClose: () => void }) {
  const t = useWords();
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" onClick={onGive}>
        {t("people.new_pin")}
      </Button>
    </>
  );
  return (
    <Dialog title={t("people.ask_new_pin", { name: fullName(person) })} onClose={onClose} actions={actions}>
      <p>{t("people.new_pin_why")}</p>
    </Dialog>
  );
}
