// The question at the end of a shift: shortly before it, when the person signs out, and at the next sign-in. It asks and never acts
// by itself; one tap closes it.
import { useEffect, useState } from "react";

import type { AskedSpool } from "@/api/turno";
import type { Operacion, Worker } from "@/api/types";
import { useVisit } from "@/session/session";
import { useTaps } from "@/taps/hooks";
import { isSending, momentOf, unanswered } from "./question";
import { ShiftEndSheet, type HandOverDialog } from "./ShiftEndSheet";
import { useDismissals } from "./useDismissals";
import { useTurno } from "./useTurno";

export interface ShiftEndProps {
  worker: Worker;
  /** The person tapped "Salir". */
  leaving: boolean;
  onLeave: () => void;
  onStay: () => void;
  /** Opens the spool's screen, to tick its joints. */
  onOpen: (operacion: Operacion, tag: string) => void;
  /** Missing: a spool cannot be handed over from here. */
  handOver?: HandOverDialog | undefined;
}

export function ShiftEnd({ worker, leaving, onLeave, onStay, onOpen, handOver }: ShiftEndProps) {
  const turno = useTurno(worker.id);
  const taps = useTaps();
  const { locked } = useVisit();
  const { dismissed, dismiss } = useDismissals(worker.id);
  const [finishing, setFinishing] = useState<string | null>(null);
  const open = turno ? unanswered(turno, taps, worker.id) : [];
  const moment = turno && open.length > 0 ? momentOf(turno, leaving, dismissed) : null;
  const goes = leaving && moment === null && !isSending(taps, worker.id); // a refusal must still find its person
  useEffect(() => {
    if (goes) onLeave();
  }, [goes, onLeave]);
  const isFinishing = !leaving && open.some(({ tag_spool }) => tag_spool === finishing);
  if (!turno?.pregunta || moment === null || isFinishing || locked) return null;
  const { pregunta } = turno;
  const finish = ({ operacion, tag_spool }: AskedSpool): void => {
    setFinishing(tag_spool);
    onStay();
    onOpen(operacion, tag_spool);
  };
  return (
    <ShiftEndSheet
      key={pregunta.termina} // the same sheet before and after the end: an open dialog of it stays
      worker={worker}
      moment={moment}
      shift={pregunta}
      today={turno.ahora.slice(0, 10)}
      open={open}
      onFinish={finish}
      onDismiss={() => dismiss(moment, pregunta.termina)}
      onStay={onStay}
      handOver={handOver}
    />
  );
}
