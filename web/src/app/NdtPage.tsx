// `/ensayos`: the work list of examinations, and the repair rates.
import { useNavigate } from "@tanstack/react-router";

import { Exams } from "@/features/ndt/Exams";
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { Button } from "@/ui/Button";
import { BackIcon } from "@/ui/icons";
import { NoticeSlot } from "@/ui/notices";
import styles from "./MyDayPage.module.css";
import { toWork } from "./routes";

export function NdtPage() {
  const t = useWords();
  const navigate = useNavigate();
  const worker = useWorker();
  if (!worker) return null;
  return (
    <main className={styles.page}>
      <div className={styles.top}>
        <Button aria-label={t("app.back")} onClick={() => void navigate(toWork(worker))} icon={<BackIcon />} />
        <h1 className={styles.title}>{t("ndt.title")}</h1>
      </div>
      <Exams key={worker.id} worker={worker} />
      <NoticeSlot />
    </main>
  );
}
