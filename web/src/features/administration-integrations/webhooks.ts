// How an address for notices stands. Pure.
import type { RegisteredWebhook, WebhookFormat, WebhookKind } from "@/api/webhooks";

export const KINDS = [
  "ocupado",
  "atrasado",
  "calificacion_por_vencer",
  "rechazado",
  "bloqueado",
  "ndt_rechazado",
  "relevo",
  "planilla_detenida",
  "dispositivo_inscrito",
  "pin_bloqueado",
  "respaldo_fallido",
  "sello",
] as const satisfies readonly WebhookKind[];
export const FORMATS = ["json", "slack", "teams", "telegram"] as const satisfies readonly WebhookFormat[];

export type WebhookState = "works" | "fails" | "off" | "stopped";

/** `stopped`: Carrete itself disabled it, because the receiver said that it is gone. */
export function webhookState(webhook: Pick<RegisteredWebhook, "activo" | "motivo_desactivado" | "falla">): WebhookState {
  if (!webhook.activo) return webhook.motivo_desactivado === null ? "off" : "stopped";
  return webhook.falla === null ? "works" : "fails";
}
