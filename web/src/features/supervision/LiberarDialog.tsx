// The dialog in which a supervisor releases a spool that a worker holds: like PAUSAR.
import { liberar } from "@/api/liberar";
import type { Operacion, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { ReasonDialog } from "./ReasonDialog";
import { useSupervise } from "./supervise";

export interface HeldSpool {
  tag_spool: string;
  ocupado_por: string;
  operacion: Operacion;
}

interface LiberarDialogProps {
  held: HeldSpool;
  supervisor: Worker;
  onClose: () => void;
}

export function LiberarDialog({ held, supervisor, onClose }: LiberarDialogProps) {
  const t = useWords();
  const supervise = useSupervise(onClose);
  const { tag_spool, ocupado_por, operacion } = held;
  const confirm = (motivo: string): void =>
    supervise.send(
      liberar,
      { tag_spool, supervisor_id: supervisor.id, motivo },
      { accion: "LIBERAR", operacion, worker: supervisor.label },
    );
  return (
    <ReasonDialog
      accion="LIBERAR"
      tag={tag_spool}
      title={t("supervision.ask_free", { tag: tag_spool })}
      why={t("supervision.free_why", { label: ocupado_por, operation: t(`operation.${operacion}`) })}
      supervise={supervise}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
