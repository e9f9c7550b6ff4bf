// New PINs for many people at once, as cards to print: for those who have none, or for everybody.
import { useState } from "react";

import { makePinCards, type Person, type PinCard } from "@/api/personas";
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Choice } from "@/ui/Choice";
import { Dialog } from "@/ui/Dialog";
import styles from "./Person.module.css";
import { PinCards } from "./PinCards";
import { useReadAgain } from "./followChange";

type Whom = "without" | "everybody";

export function ManyCards({ people, onClose }: { people: readonly Person[]; onClose: () => void }) {
  const t = useWords();
  const own = useWorker()?.id;
  const readAgain = useReadAgain();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [whom, setWhom] = useState<Whom>("without");
  const [cards, setCards] = useState<readonly PinCard[] | null>(null);
  const others = people.filter(({ id, activo }) => activo && id !== own);
  const counts = { everybody: others.length, without: others.filter(({ tiene_pin }) => !tiene_pin).length };
  const make = (): void =>
    run(async () => {
      setCards(await makePinCards(whom === "everybody"));
      await readAgain();
    });
  if (cards) return <PinCards cards={cards} onClose={onClose} />;
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" disabled={busy || counts[whom] === 0} onClick={make}>
        {busy ? t("people.making") : t("people.make_cards", { count: counts[whom] })}
      </Button>
    </>
  );
  return (
    <Dialog title={t("people.cards")} size="large" onClose={onClose} actions={actions}>
      <div className={styles.form}>
        <p>{t("people.cards_why")}</p>
        <Choice
          label={t("people.whom")}
          value={whom}
          options={(["without", "everybody"] as const).map((value) => ({ value, label: t(`people.whom_kinds.${value}`, { n: counts[value] }) }))}
          onChange={setWhom}
        />
        {whom === "everybody" && <Callout tone="warn">{t("people.everybody_why")}</Callout>}
        {problem !== null && <Callout tone="bad">{problem}</Callout>}
      </div>
      {pinPad}
    </Dialog>
  );
}
