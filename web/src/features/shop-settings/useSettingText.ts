// The value of a setting as people read it.
import type { Shift } from "@/api/ajustes";
import { useWords } from "@/i18n";
import { dayRuns, DAYS } from "./values";

export function useSettingText(): (value: unknown) => string {
  const t = useWords();
  const dayText = (day: number): string => t(`shop_settings.day.${DAYS[day - 1] ?? "monday"}`);
  const shiftText = ({ nombre, dias, desde, hasta }: Shift): string => {
    const days = dayRuns(dias).map(([first, last]) => (first === last ? dayText(first) : `${dayText(first)}–${dayText(last)}`));
    return `${nombre} ${days.join(", ")} ${desde}–${hasta}`;
  };
  const itemText = (item: unknown): string => (isShift(item) ? shiftText(item) : String(item));
  return (value) => {
    if (value === true) return t("shop_settings.yes");
    const shown = Array.isArray(value) ? value.map(itemText).join(" · ") : typeof value === "string" ? value : "";
    return shown === "" ? t("shop_settings.nothing") : shown;
  };
}

const isShift = (item: unknown): item is Shift => typeof item === "object" && item !== null && "dias" in item;
