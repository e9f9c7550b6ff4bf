// The dialog that lifts BLOQUEADO: the spool waits for repair again, with one rejection left.
import { desbloquear } from "@/api/desbloquear";
import type { Spool, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { ReasonDialog } from "./ReasonDialog";
import { useSupervise } from "./supervise";

interface DesbloquearDialogProps {
  spool: Spool;
  supervisor: Worker;
  onClose: () => void;
}

export function DesbloquearDialog({ spool, supervisor, onClose }: DesbloquearDialogProps) {
  const t = useWords();
  const supervise = useSupervise(onClose);
  const { tag_spool } = spool;
  const confirm = (motivo: string): void =>
    supervise.send(
      desbloquear,
      { tag_spool, supervisor_id: supervisor.id, motivo },
      { accion: "DESBLOQUEAR", operacion: "METROLOGIA", worker: supervisor.label },
    );
  return (
    <ReasonDialog
      accion="DESBLOQUEAR"
      tag={tag_spool}
      title={t("supervision.ask_unblock", { tag: tag_spool })}
      why={t("supervision.unblock_why")}
      supervise={supervise}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
