// How old the tablet's copy of the spools is, in words: "visto hace 12 min".
import { useWords } from "@/i18n";
import { ageOf } from "./age";
import { shopTimeAt, useShopMinute } from "./clock";

/** `seenAt`: epoch ms of the tablet's clock. */
export function useCopyAge(): (seenAt: number) => string {
  const t = useWords();
  const now = useShopMinute();
  return (seenAt) => {
    const age = ageOf(new Date(shopTimeAt(seenAt).at).toISOString(), now);
    return age.minutes === 0 ? t("offline.just_seen") : t("offline.seen", { age: t(`age.${age.words}`, { ...age }) });
  };
}
