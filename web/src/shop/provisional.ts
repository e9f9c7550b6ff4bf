// What a spool would be after steps that the server has not decided yet. It follows the rules of the floor closely enough to show the
// next button; the server decides. Pure functions.
import type { ChainStep } from "@/api/cadena";
import type { Joint, Operacion, SpoolCard, Worker } from "@/api/types";
import { isoInShop } from "./clock";
import { operationsOf } from "./operations";

type ByJoint = "ARM" | "SOLD";
type Offer = SpoolCard["acciones"][number];

const WHOLE_ENDS = ["COMPLETAR", "PAUSAR", "CANCELAR"] as const;
const FIELDS = {
  ARM: { worker: "arm_worker", end: "arm_fecha_fin" },
  SOLD: { worker: "sol_worker", end: "sol_fecha_fin" },
} as const;

export interface Provisional {
  steps: readonly ChainStep[];
  worker: Worker;
  /** The types of joint that are never welded. */
  armOnly: readonly string[];
}

/** The card as it would be after all the steps. */
export function cardAfter(card: SpoolCard, { steps, worker, armOnly }: Provisional): SpoolCard {
  const after = steps.reduce((before, step) => withOffers(afterStep(before, step, worker, armOnly), worker, armOnly), card);
  return steps.length > 0 ? { ...after, estado_detalle: "", atraso: null } : after; // the server's sentence is about the time before
}

function afterStep(card: SpoolCard, step: ChainStep, worker: Worker, armOnly: readonly string[]): SpoolCard {
  const { accion, operacion } = step;
  if (accion === "INICIAR" || accion === "TOMAR") return taken(card, operacion, worker, whenTapped(step));
  const free = { ...card, ocupado_por: null, ocupado_por_id: null, operacion_actual: null, fecha_ocupacion: null };
  if (accion === "FINALIZAR" && operacion !== "REPARACION") return finished(free, operacion, step, worker, armOnly);
  if (accion === "COMPLETAR") return { ...free, ...stateOf(operacion, "COMPLETADO") };
  if (accion === "PAUSAR") return { ...free, ...stateOf(operacion, "PAUSADO") };
  return free; // what the operation was before this occupation, the tablet does not know
}

const whenTapped = ({ hecho_en }: ChainStep): string | null => (hecho_en ? isoInShop(Date.parse(hecho_en)) : null);

const taken = (card: SpoolCard, operacion: Operacion, worker: Worker, since: string | null): SpoolCard => ({
  ...card,
  ...stateOf(operacion, "EN_PROGRESO"),
  ocupado_por: worker.label,
  ocupado_por_id: worker.id,
  operacion_actual: operacion,
  fecha_ocupacion: card.ocupado_por_id === worker.id ? card.fecha_ocupacion : since,
});

function stateOf(operacion: Operacion, estado: SpoolCard["arm"]): Partial<SpoolCard> {
  if (operacion === "ARM") return { arm: estado };
  return operacion === "SOLD" ? { sold: estado } : { reparacion: estado };
}

function finished(card: SpoolCard, operacion: ByJoint, step: ChainStep, worker: Worker, armOnly: readonly string[]): SpoolCard {
  const ticked = new Set(step.uniones ?? []);
  if (ticked.size === 0) return card;
  const { worker: who, end } = FIELDS[operacion];
  const at = whenTapped(step) ?? isoInShop(Date.now());
  const uniones = card.uniones.map((joint) =>
    ticked.has(joint.n_union) && joint[end] === null ? { ...joint, [who]: worker.label, [end]: at } : joint,
  );
  const done = (key: "arm_fecha_fin" | "sol_fecha_fin"): number => uniones.filter((joint) => joint[key] !== null).length;
  const counted = { ...card, uniones, uniones_arm_completadas: done("arm_fecha_fin"), uniones_sold_completadas: done("sol_fecha_fin") };
  const rest = openJoints(uniones, operacion, armOnly).length;
  const needed = operacion === "ARM" ? (card.total_uniones ?? 0) : card.uniones_sold_necesarias;
  const complete = rest === 0 && done(end) >= needed;
  return { ...counted, ...stateOf(operacion, complete ? "COMPLETADO" : "PAUSADO") };
}

/** The joints that could be ticked, by what the tablet knows. */
export function openJoints(joints: readonly Joint[], operacion: ByJoint, armOnly: readonly string[]): number[] {
  const isWelded = ({ tipo_union }: Joint): boolean => !armOnly.includes((tipo_union ?? "").trim().toUpperCase());
  const open = (joint: Joint): boolean =>
    operacion === "ARM"
      ? joint.arm_fecha_fin === null
      : joint.arm_fecha_fin !== null && joint.sol_fecha_fin === null && isWelded(joint);
  return joints.filter(open).map((joint) => joint.n_union);
}

/** The buttons of the card: ends for its holder, takes where something is left to do. */
function withOffers(card: SpoolCard, worker: Worker, armOnly: readonly string[]): SpoolCard {
  const byJoint = card.version_workflow === "v4.0";
  const mine = card.ocupado_por_id === worker.id ? card.operacion_actual : null;
  const ends = mine === null ? [] : byJoint && mine !== "REPARACION" ? (["FINALIZAR"] as const) : WHOLE_ENDS;
  const acciones: Offer[] = mine === null ? takes(card, worker, byJoint, armOnly) : ends.map((accion) => ({ accion, operacion: mine }));
  return { ...card, acciones, motivos: [] };
}

function takes(card: SpoolCard, worker: Worker, byJoint: boolean, armOnly: readonly string[]): Offer[] {
  const accion = byJoint ? "INICIAR" : "TOMAR";
  const isOpen = (operacion: ByJoint): boolean => {
    if ((operacion === "ARM" ? card.arm : card.sold) === "COMPLETADO") return false;
    if (byJoint) return openJoints(card.uniones, operacion, armOnly).length > 0;
    return operacion === "ARM" || card.arm !== "PENDIENTE" || card.armador !== null;
  };
  const allowed = operationsOf(worker.roles);
  const open = (["ARM", "SOLD"] as const).filter((operacion) => allowed.includes(operacion) && isOpen(operacion));
  const isRejected = card.acciones.some(({ operacion }) => operacion === "REPARACION");
  if (isRejected && card.reparacion === "COMPLETADO") return []; // it goes back to the inspection
  return isRejected ? [{ accion: "TOMAR", operacion: "REPARACION" }] : open.map((operacion) => ({ accion, operacion }));
}
