// Says that a spool is overdue, how, and for how long. The word and the icon say it too, not only the colour.
import type { Atraso } from "@/api/atrasos";
import { useWords } from "@/i18n";
import { Badge } from "@/ui/Badge";
import { WarnIcon } from "@/ui/icons";
import { useDurationText } from "./duration";

export function OverdueBadge({ atraso }: { atraso: Atraso }) {
  const t = useWords();
  const duration = useDurationText();
  return (
    <Badge tone="bad">
      <WarnIcon size={20} />
      {t(`overdue.${atraso.tipo}`, { time: duration(atraso.horas) })}
    </Badge>
  );
}
