// How long a worker has held a spool; a long time is also named in words.
import { useWords } from "@/i18n";
import type { Age } from "@/shop/age";
import { Badge } from "@/ui/Badge";

const TONES = { fresh: "plain", long: "warn", over: "bad" } as const;

export function AgeBadge({ age }: { age: Age }) {
  const t = useWords();
  return (
    <Badge tone={TONES[age.level]}>
      {t(`age.${age.words}`, { ...age })}
      {age.level !== "fresh" && ` · ${t(`age.${age.level}`)}`}
    </Badge>
  );
}
