// On a spool's screen: the button to its notes, and the last one in a line.
import type { SpoolCard } from "@/api/types";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { NoteIcon } from "@/ui/icons";
import { NoteText } from "./NotesDialog";
import styles from "./Notes.module.css";

/** `+` after the number: there are more than the card has. */
export function NotesButton({ card, onOpen }: { card: SpoolCard; onOpen: () => void }) {
  const t = useWords();
  const count = card.notas.length;
  const number = count === 0 ? "" : `${count}${card.mas_notas ? "+" : ""}`;
  return (
    <Button className={styles.open} icon={<NoteIcon />} aria-label={t("notes.open", { n: number || 0 })} onClick={onOpen}>
      {number}
    </Button>
  );
}

export function LastNote({ card, onOpen }: { card: SpoolCard; onOpen: () => void }) {
  const t = useWords();
  const [last] = card.notas;
  if (!last) return null;
  return (
    <button type="button" className={styles.last} onClick={onOpen} data-target>
      <NoteText note={last} />
      {last.fotos.length > 0 && <span className={styles.count}>{t("notes.photos", { count: last.fotos.length })}</span>}
    </button>
  );
}
