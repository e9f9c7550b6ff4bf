// How long ago a time was, by the shop's clock.
import { useWords } from "@/i18n";
import { ageOf } from "./age";
import { useShopMinute } from "./clock";

export function useAgo(): (at: string | null) => string | null {
  const t = useWords();
  const now = useShopMinute();
  return (at) => {
    if (!at) return null;
    const age = ageOf(at, now);
    return age.minutes === 0 ? t("workbook.just_now") : t("workbook.ago", { age: t(`age.${age.words}`, { ...age }) });
  };
}
