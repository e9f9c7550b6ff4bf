// The list of an operation, with the open spool beside it or over it.
import { Link, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import type { Operacion, Spool, Worker } from "@/api/types";
import { BatchBar } from "@/features/batch/BatchBar";
import { useBatch } from "@/features/batch/useBatch";
import { ToRepair } from "@/features/ndt/ToRepair";
import { PickSpool } from "@/features/pick-spool/PickSpool";
import { ScanButton } from "@/features/scan/ScanButton";
import { AwaitedButton } from "@/features/when-free/AwaitedButton";
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { OperationIcon } from "@/shop/OperationIcon";
import { operationsOf } from "@/shop/operations";
import { Button } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { ListIcon } from "@/ui/icons";
import styles from "./ListPage.module.css";
import { toSpool } from "./routes";

export function ListPage() {
  const worker = useWorker();
  const { operacion } = useParams({ from: "/floor/trabajo/$operacion" });
  return worker && <Lists key={`${worker.id} ${operacion}`} worker={worker} operacion={operacion as Operacion} />;
}

function Lists({ worker, operacion }: { worker: Worker; operacion: Operacion }) {
  const t = useWords();
  const navigate = useNavigate();
  const { tag } = useParams({ strict: false });
  const batch = useBatch(worker, operacion);
  useFocusBack(tag);
  const open = (spool: Spool, mine: boolean): void =>
    void navigate(toSpool((mine && spool.operacion_actual) || operacion, spool.tag_spool));
  const startBatch = operacion !== "METROLOGIA" && !batch.on && (
    <Button aria-label={t("batch.start")} onClick={batch.start} icon={<ListIcon />} />
  );
  const tools = (
    <>
      <ScanButton />
      <AwaitedButton worker={worker} onOpen={(held, opened) => void navigate(toSpool(held, opened))} />
      {startBatch}
    </>
  );
  return (
    <main className={classes(styles.work, tag !== undefined && styles.withSpool)}>
      <h1 className="visually-hidden">{t(`operation.${operacion}`)}</h1>
      <div className={styles.list}>
        <Operations worker={worker} operacion={operacion} />
        {operacion === "SOLD" && <ToRepair worker={worker} />}
        <PickSpool
          worker={worker}
          operacion={operacion}
          openTag={tag ?? null}
          choosing={batch.on ? batch : null}
          onPick={open}
          tools={tools}
          foot={batch.on && <BatchBar batch={batch} />}
        />
      </div>
      <div className={styles.spool}>
        {tag === undefined ? (
          <div className={styles.nothing}>
            <OperationIcon operacion={operacion} size={120} strokeWidth={1.6} />
            <p>{t("spool.pick")}</p>
          </div>
        ) : (
          <Outlet />
        )}
      </div>
    </main>
  );
}

/** After a spool is closed, the focus returns to its row, or to the search: for keyboards and screen readers. */
function useFocusBack(tag: string | undefined): void {
  const openBefore = useRef<string>(undefined);
  useEffect(() => {
    const closed = openBefore.current;
    openBefore.current = tag;
    if (tag !== undefined || closed === undefined) return;
    const row = document.querySelector<HTMLElement>(`[data-tag="${CSS.escape(closed)}"]`);
    (row ?? document.querySelector<HTMLElement>("input[type=search]"))?.focus({ preventScroll: true });
  }, [tag]);
}

/** The operations that this worker's roles allow. */
function Operations({ worker, operacion }: { worker: Worker; operacion: Operacion }) {
  const t = useWords();
  return (
    <nav className={styles.operations} aria-label={t("list.operations")}>
      {operationsOf(worker.roles).map((allowed) => (
        <Link
          key={allowed}
          to="/trabajo/$operacion"
          params={{ operacion: allowed }}
          className={classes(styles.operation, allowed === operacion && styles.current)}
          aria-current={allowed === operacion ? "page" : undefined}
        >
          <OperationIcon operacion={allowed} />
          {t(`operation.${allowed}`)}
        </Link>
      ))}
    </nav>
  );
}
