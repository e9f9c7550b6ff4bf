// The supervisor's page.
import { useWords } from "@/i18n";

export function Supervision() {
  const t = useWords();
  return (
    <main>
      <h1>{t("supervision.title")}</h1>
    </main>
  );
}
