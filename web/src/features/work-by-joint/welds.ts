// What a welder says about the welds of the ticked joints: the procedure and the heats, as they were planned unless changed.
import type { PostBody, Joint } from "@/api/types";

export type Weld = NonNullable<PostBody<"/api/v4/occupation/finalizar">["soldadura"]>[number];
export const WELD_FIELDS = ["wps", "colada_1", "colada_2"] as const;
export type WeldField = (typeof WELD_FIELDS)[number];
export type WeldTexts = Record<WeldField, string>;
export const WELD_TEXT_MAX = 100;

/** The ticked joints, if at least one of them names a procedure or a heat; otherwise there is nothing to say. */
export function weldsToConfirm(joints: readonly Joint[], chosen: ReadonlySet<number>, operacion: "ARM" | "SOLD"): Joint[] {
  const ticked = joints.filter((joint) => chosen.has(joint.n_union));
  const named = ticked.some((joint) => WELD_FIELDS.some((field) => joint[field]));
  return operacion === "SOLD" && named ? ticked : [];
}

export const plannedTexts = (joint: Joint): WeldTexts => ({
  wps: joint.wps ?? "",
  colada_1: joint.colada_1 ?? "",
  colada_2: joint.colada_2 ?? "",
});

/** Only what differs from the plan is sent. A procedure cannot be emptied: that stays as it was. */
export function changedWelds(joints: readonly Joint[], texts: ReadonlyMap<number, WeldTexts>): Weld[] {
  return joints.flatMap((joint) => {
    const typed = texts.get(joint.n_union);
    const planned = plannedTexts(joint);
    if (!typed) return [];
    const fields = WELD_FIELDS.filter((field) => typed[field].trim() !== planned[field] && !(field === "wps" && !typed.wps.trim()));
    if (fields.length === 0) return [];
    return [{ n_union: joint.n_union, ...Object.fromEntries(fields.map((field) => [field, typed[field].trim()])) }];
  });
}
