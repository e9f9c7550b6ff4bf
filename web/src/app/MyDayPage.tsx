// Mi día. A supervisor may look at anybody's.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { listWorkers } from "@/api/workers";
import { MyDay } from "@/features/my-day/MyDay";
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { Button } from "@/ui/Button";
import { BackIcon } from "@/ui/icons";
import { Select } from "@/ui/Select";
import styles from "./MyDayPage.module.css";
import { firstScreenOf, toSpool } from "./routes";

export function MyDayPage() {
  const t = useWords();
  const navigate = useNavigate();
  const worker = useWorker();
  const [chosen, setChosen] = useState<number | null>(null);
  if (!worker) return null;
  const shown = chosen ?? worker.id;
  const own = shown === worker.id;
  return (
    <main className={styles.page}>
      <div className={styles.top}>
        <Button aria-label={t("app.back")} onClick={() => void navigate(firstScreenOf(worker))} icon={<BackIcon />} />
        <h1 className={styles.title}>{t("my_day.title")}</h1>
        {worker.roles.includes("Supervisor") && <ChoosePerson shown={shown} onChosen={setChosen} />}
      </div>
      <MyDay key={shown} worker_id={shown} onOpen={own ? (operacion, tag) => void navigate(toSpool(operacion, tag)) : undefined} />
    </main>
  );
}

function ChoosePerson({ shown, onChosen }: { shown: number; onChosen: (id: number) => void }) {
  const t = useWords();
  const { data = [] } = useQuery({ queryKey: ["workers"], queryFn: ({ signal }) => listWorkers(signal) });
  const options = data.map(({ id, nombre, apellido, label }) => ({ value: String(id), label: `${nombre} ${apellido} · ${label}` }));
  return <Select label={t("my_day.person")} value={String(shown)} options={options} onChange={(id) => onChosen(Number(id))} />;
}
