// The strip under the top bar while taps have no answer, whichever worker sent them; it opens the list of those taps.
import { useState } from "react";

import { useWords } from "@/i18n";
import { tapCount } from "@/taps/chain";
import { useTaps } from "@/taps/hooks";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { WarnIcon } from "@/ui/icons";
import { TapButtons, useTapText, useUnsentReason } from "./DropTap";
import styles from "./Unsent.module.css";

export function UnsentBar() {
  const unsent = useTaps().filter((tap) => tap.state === "unsent");
  const authors = new Set(unsent.filter((tap) => tap.author).map((tap) => tap.about.worker));
  const count = unsent.reduce((sum, tap) => sum + tapCount(tap), 0);
  return unsent.length > 0 && <Strip count={count} labels={[...authors].join(", ")} />;
}

/** Unmounted, with its dialog, when the last tap is answered: the next unsent tap does not open the dialog by itself. */
function Strip({ count, labels }: { count: number; labels: string }) {
  const t = useWords();
  const [open, setOpen] = useState(false);
  return (
    <div className={styles.bar} role="status">
      <button type="button" className={styles.strip} onClick={() => setOpen(true)}>
        <WarnIcon />
        {t("unsent.bar", { count })} {labels !== "" && t("unsent.bar_of", { labels })}
      </button>
      {open && <UnsentDialog onClose={() => setOpen(false)} />}
    </div>
  );
}

function UnsentDialog({ onClose }: { onClose: () => void }) {
  const t = useWords();
  const tapText = useTapText();
  const unsentReason = useUnsentReason();
  const unsent = useTaps().filter((tap) => tap.state === "unsent");
  return (
    <Dialog
      size="large"
      title={t("unsent.bar", { count: unsent.reduce((sum, tap) => sum + tapCount(tap), 0) })}
      onClose={onClose}
      actions={
        <Button size="large" onClick={onClose}>
          {t("app.close")}
        </Button>
      }
    >
      <ul className={styles.list}>
        {unsent.map((tap) => (
          <li key={tap.key} className={styles.item}>
            <p className={styles.what}>{tapText(tap)}</p>
            <p className={styles.explain}>
              {tap.about.worker} · {unsentReason(tap)}
            </p>
            <div className={styles.buttons}>
              <TapButtons tap={tap} />
            </div>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
