// Below a list that is shown from the tablet's copy: how old it is, and what happens with what is tapped now.
import { useWords } from "@/i18n";
import { useCopyAge } from "@/shop/useCopyAge";
import { Callout } from "@/ui/Callout";

export function CopyAge({ seenAt, leftOut }: { seenAt: number; leftOut: number }) {
  const t = useWords();
  const age = useCopyAge();
  return (
    <Callout tone="warn">
      {t("offline.list", { age: age(seenAt) })} {leftOut > 0 && t("offline.left_out", { count: leftOut })}
    </Callout>
  );
}
