// A length of time in hours as people say it: `26 h`, `2,1 días`.
import { useLanguage, useWords, type Language } from "@/i18n";

const DAYS_FROM_H = 48;
const numbers = {
  es: new Intl.NumberFormat("es-CL", { maximumFractionDigits: 1 }),
  en: new Intl.NumberFormat("en", { maximumFractionDigits: 1 }),
};

export function durationOf(hours: number, language: Language): { unit: "hours" | "days"; n: string } {
  const unit = hours < DAYS_FROM_H ? "hours" : "days";
  return { unit, n: numbers[language].format(unit === "hours" ? hours : hours / 24) };
}

export function useDurationText(): (hours: number | null) => string {
  const t = useWords();
  const language = useLanguage();
  return (hours) => {
    if (hours === null) return "–";
    const { unit, n } = durationOf(hours, language);
    return t(`duration.${unit}`, { n });
  };
}
