// The value of a setting as people read it.
import type { Shift, ShopSettings } from "@/api/ajustes";
import { useWords } from "@/i18n";
import { dayRuns, DAYS, type NdtRule } from "./values";

export function useSettingText(): (value: unknown) => string {
  const t = useWords();
  const dayText = (day: number): string => t(`shop_settings.day.${DAYS[day - 1] ?? "monday"}`);
  const shiftText = ({ nombre, dias, desde, hasta }: Shift): string => {
    const days = dayRuns(dias).map(([first, last]) => (first === last ? dayText(first) : `${dayText(first)}–${dayText(last)}`));
    return `${nombre} ${days.join(", ")} ${desde}–${hasta}`;
  };
  const itemText = (item: unknown): string => (isShift(item) ? shiftText(item) : isRule(item) ? ruleText(item) : String(item));
  return (value) => {
    if (isLimits(value)) return t("shop_settings.limits_text", limitTexts(value));
    if (value === true) return t("shop_settings.yes");
    const shown = Array.isArray(value) ? value.map(itemText).join(" · ") : typeof value === "string" || typeof value === "number" ? String(value) : "";
    return shown === "" ? t("shop_settings.nothing") : shown;
  };
}

const isShift = (item: unknown): item is Shift => typeof item === "object" && item !== null && "dias" in item;

const isRule = (item: unknown): item is NdtRule => typeof item === "object" && item !== null && "porcentaje" in item;

const ruleText = ({ metodo, porcentaje, ot, tipos }: NdtRule): string => [`${metodo} ${porcentaje} %`, ot, ...(tipos ?? [])].filter(Boolean).join(" ");

type OverdueLimits = ShopSettings["limites_atraso"];

const isLimits = (value: unknown): value is OverdueLimits => typeof value === "object" && value !== null && "inspeccion" in value;

/** The hours of ARM, SOLD and REPARACION with strokes between them: `12/12/24`. */
const limitTexts = ({ ocupado, pausado, inspeccion }: OverdueLimits) => ({
  ocupado: [ocupado.ARM, ocupado.SOLD, ocupado.REPARACION].join("/"),
  pausado: [pausado.ARM, pausado.SOLD, pausado.REPARACION].join("/"),
  inspeccion,
});
