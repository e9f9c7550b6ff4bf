// What the first connection with a Google workbook would do.
import type { GooglePreview } from "@/api/planilla-google";
import { useWords } from "@/i18n";
import { Fact, FactList } from "@/ui/FactList";

export function FirstConnectionPreview({ preview: { resumen } }: { preview: GooglePreview }) {
  const t = useWords();
  return (
    <FactList>
      {(["nuevos", "cambiados", "retirados", "rechazados", "iguales"] as const).map((name) => (
        <Fact key={name} name={t(`google.result.${name}`)}>
          {resumen[name]}
        </Fact>
      ))}
    </FactList>
  );
}
