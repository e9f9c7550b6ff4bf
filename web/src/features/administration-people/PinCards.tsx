// Cards with new PINs, shown once: on the screen, and on paper without anything else of the page.
import { createPortal } from "react-dom";

import type { PinCard } from "@/api/personas";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { QrImage } from "@/ui/QrImage";
import { Sheet } from "@/ui/Sheet";
import { PrintIcon } from "@/ui/icons";
import { fullName } from "./people";
import styles from "./PinCards.module.css";

/** Escape does not close it: nobody can see these PINs again. */
export function PinCards({ cards, onClose }: { cards: readonly PinCard[]; onClose: () => void }) {
  const t = useWords();
  return (
    <Sheet title={t("people.cards_made", { count: cards.length })}>
      <div className={styles.shown}>
        <Callout tone="warn">{t("people.shown_once")}</Callout>
        <div className={styles.buttons}>
          <Button tone="signal" size="large" icon={<PrintIcon />} onClick={() => print()}>
            {t("people.print")}
          </Button>
          <Button size="large" onClick={onClose}>
            {t("people.cards_done")}
          </Button>
        </div>
        <Cards cards={cards} />
      </div>
      {createPortal(
        <div className={styles.paper} data-paper>
          <Cards cards={cards} />
        </div>,
        document.body,
      )}
    </Sheet>
  );
}

function Cards({ cards }: { cards: readonly PinCard[] }) {
  const t = useWords();
  return (
    <ul className={styles.cards}>
      {cards.map((card) => (
        <li key={card.id} className={styles.card} data-pin-card={card.id}>
          <div className={styles.words}>
            <p className={styles.name}>{fullName(card)}</p>
            <p className={styles.label}>{card.label}</p>
            <p className={styles.pinWord}>PIN</p>
            <p className={styles.pin}>{card.pin}</p>
            <p className={styles.note}>{t("people.card_note")}</p>
          </div>
          {card.badge !== null && (
            <div className={styles.badge}>
              <QrImage text={card.badge} label={t("people.badge")} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
