// The photos of a note as small pictures. A tap shows one as large as the screen.
import { useState } from "react";

import { photoAddress } from "@/api/fotos";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import styles from "./PhotoRow.module.css";

export function PhotoRow({ photos }: { photos: readonly string[] }) {
  const t = useWords();
  const [shown, setShown] = useState<number | null>(null);
  const id = shown === null ? undefined : photos[shown];
  return (
    <div className={styles.row}>
      {photos.map((photo, index) => (
        <button key={photo} type="button" className={styles.photo} onClick={() => setShown(index)}>
          <img src={photoAddress(photo)} alt={t("notes.photo", { n: index + 1 })} loading="lazy" decoding="async" />
        </button>
      ))}
      {shown !== null && id !== undefined && (
        <Dialog
          title={t("notes.photo", { n: shown + 1 })}
          size="large"
          onClose={() => setShown(null)}
          actions={
            <Button size="large" onClick={() => setShown(null)}>
              {t("app.close")}
            </Button>
          }
        >
          <img className={styles.large} src={photoAddress(id)} alt="" />
        </Dialog>
      )}
    </div>
  );
}
