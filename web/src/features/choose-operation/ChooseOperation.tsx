// The choice of the operation, among those that the worker's roles allow: one large button each.
import type { Operacion, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { OperationIcon } from "@/shop/OperationIcon";
import { operationsOf } from "@/shop/operations";
import { useHeld } from "@/shop/reads";
import styles from "./ChooseOperation.module.css";

export function ChooseOperation({ worker, onChosen }: { worker: Worker; onChosen: (operacion: Operacion) => void }) {
  const t = useWords();
  const held = useHeld(worker.id).data ?? [];
  return (
    <section className={styles.choose} aria-labelledby="what">
      <h1 id="what" className={styles.title}>
        {t("operation.choose")}
      </h1>
      <ul className={styles.operations}>
        {operationsOf(worker.roles).map((operacion) => {
          const count = held.filter((spool) => spool.operacion_actual === operacion).length;
          return (
            <li key={operacion}>
              <button type="button" className={styles.operation} onClick={() => onChosen(operacion)}>
                <OperationIcon operacion={operacion} size={72} />
                <span className={styles.name}>{t(`operation.${operacion}`)}</span>
                <span className={styles.held}>{count > 0 ? t("operation.held", { count }) : "\u00a0"}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
