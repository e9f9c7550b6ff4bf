// What the first connection with a Google workbook would do.
import type { GooglePreview } from "@/api/planilla-google";
import { useWords } from "@/i18n";
import { Callout } from "@/ui/Callout";
import { Fact, FactList } from "@/ui/FactList";
import styles from "./GoogleCard.module.css";

export function FirstConnectionPreview({ preview: { resumen, lineas, problemas } }: { preview: GooglePreview }) {
  const t = useWords();
  return (
    <>
      <FactList>
        {(["nuevos", "cambiados", "retirados", "rechazados", "iguales"] as const).map((name) => (
          <Fact key={name} name={t(`google.result.${name}`)}>
            {resumen[name]}
          </Fact>
        ))}
      </FactList>
      <Lines lines={lineas} />
      {problemas.length > 0 && (
        <Callout tone="warn">
          <p>
            <strong>{t("google.problems", { count: problemas.length })}</strong>
          </p>
          <Lines lines={problemas} />
        </Callout>
      )}
    </>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    lines.length > 0 && (
      <ul className={styles.lines}>
        {lines.map((line, at) => (
          <li key={`${at} ${line}`}>{line}</li>
        ))}
      </ul>
    )
  );
}
