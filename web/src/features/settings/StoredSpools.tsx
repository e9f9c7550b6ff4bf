// What this tablet keeps for the time without a connection, and the button that deletes it. Taps that wait are not deleted.
import { useSyncExternalStore } from "react";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { offlineCopy } from "@/offline/copy";
import { useOfflineCopy } from "@/offline/hooks";
import { deviceName } from "@/session/access";
import { useCopyAge } from "@/shop/useCopyAge";
import { database } from "@/storage/database";
import { forgetUnnamedPhotos } from "@/taps/hooks";
import { saveReceipts } from "@/taps/receipts";
import { Button } from "@/ui/Button";
import { notify } from "@/ui/notices";
import styles from "./Settings.module.css";

export function StoredSpools({ worker }: { worker: Worker }) {
  const t = useWords();
  const age = useCopyAge();
  const copy = useOfflineCopy(worker.id);
  const refused = useSyncExternalStore(database.subscribe, database.isVolatile);
  const wipe = async (): Promise<void> => {
    void forgetUnnamedPhotos();
    if (await offlineCopy.stopAndWipe()) notify("good", t("offline.wiped"));
    else notify("bad", t("offline.not_wiped"), true);
  };
  const stored = copy ? t("offline.stored", { count: copy.cards.size, age: age(copy.seenAt) }) : t("offline.nothing");
  return (
    <section className={styles.stored} aria-label={t("offline.title")}>
      <p>{refused ? t("offline.refused") : stored}</p>
      {copy && <Button onClick={() => void wipe()}>{t("offline.wipe")}</Button>}
      <Button onClick={() => void saveReceipts(deviceName())}>{t("offline.receipts")}</Button>
    </section>
  );
}
