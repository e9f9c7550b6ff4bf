// The value of a setting as people read it.
import type { SettingName, Shift } from "@/api/ajustes";
import { useWords } from "@/i18n";
import { dayRuns, DAYS, typesText } from "./values";

export function useSettingText(): (name: SettingName, value: unknown) => string {
  const t = useWords();
  const dayText = (day: number): string => t(`shop_settings.day.${DAYS[day - 1] ?? "monday"}`);
  const shiftText = ({ nombre, dias, desde, hasta }: Shift): string => {
    const days = dayRuns(dias).map(([first, last]) => (first === last ? dayText(first) : `${dayText(first)}–${dayText(last)}`));
    return `${nombre} ${days.join(", ")} ${desde}–${hasta}`;
  };
  return (name, value) => {
    const shown =
      name === "turnos" && Array.isArray(value)
        ? (value as Shift[]).map(shiftText).join(" · ")
        : Array.isArray(value)
          ? typesText(value.map(String))
          : typeof value === "string"
            ? value
            : "";
    return shown === "" ? t("shop_settings.nothing") : shown;
  };
}
