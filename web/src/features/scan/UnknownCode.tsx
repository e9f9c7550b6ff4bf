// A code that is no spool: what was read, and the tags that are nearly the same with the signs that differ marked.
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { NextIcon } from "@/ui/icons";
import { differences } from "./differences";
import styles from "./UnknownCode.module.css";

export interface Unknown {
  /** What was read, in each of the ways in which it may be meant. */
  texts: readonly string[];
  near: readonly string[];
  /** The server could not be asked: it may be a spool after all. */
  unasked: boolean;
}

export interface UnknownCodeProps {
  code: Unknown;
  onOpen: (tag: string) => void;
  onClose: () => void;
  /** The code may be a badge: signs its owner in. Missing where there are no badges. */
  onBadge: (() => void) | undefined;
}

export function UnknownCode({ code, onOpen, onClose, onBadge }: UnknownCodeProps) {
  const t = useWords();
  const [read = ""] = code.texts;
  const close = (
    <>
      <Button onClick={onClose}>{t("app.close")}</Button>
      {onBadge && <Button onClick={onBadge}>{t("scan.is_badge")}</Button>}
    </>
  );
  return (
    <Dialog title={t(code.unasked ? "scan.unasked" : "scan.unknown")} onClose={onClose} actions={close}>
      <p>{t("scan.read")}</p>
      <p className={styles.read} data-read>
        {read}
      </p>
      {code.near.length > 0 && (
        <>
          <p>{t("scan.near")}</p>
          <ul className={styles.near} aria-label={t("scan.near")}>
            {code.near.map((tag) => (
              <li key={tag}>
                <button type="button" className={styles.tag} data-near={tag} onClick={() => onOpen(tag)}>
                  <Compared tag={tag} read={nearestTo(tag, code.texts)} />
                  <NextIcon />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

/** The tag; under it what was read, where one of them has signs that the other lacks. */
function Compared({ tag, read }: { tag: string; read: string }) {
  const t = useWords();
  return (
    <span className={styles.compared}>
      <Marked text={tag} other={read} />
      {tag.length !== read.length && (
        <span className={styles.instead}>
          {t("scan.instead")} <Marked text={read} other={tag} />
        </span>
      )}
    </span>
  );
}

function Marked({ text, other }: { text: string; other: string }) {
  return (
    <span className={styles.signs}>
      {differences(text, other).map((part, i) => (part.differs ? <mark key={i}>{part.text}</mark> : <span key={i}>{part.text}</span>))}
    </span>
  );
}

const marked = (tag: string, text: string): number =>
  differences(tag, text).reduce((sum, part) => sum + (part.differs ? part.text.length : 0), 0);

/** Of the ways in which the code may be meant, the one that this tag was found by. */
const nearestTo = (tag: string, texts: readonly string[]): string =>
  texts.reduce((best, text) => (marked(tag, text) < marked(tag, best) ? text : best), texts[0] ?? "");
