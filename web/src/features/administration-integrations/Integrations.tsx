// What other systems may do here, and whom Carrete tells of a conflict.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";
import { Tokens } from "./Tokens";
import { Webhook } from "./Webhook";

export function Integrations() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.integraciones.title")} intro={t("administration.integraciones.intro")}>
      <Tokens />
      <Webhook />
    </SectionPage>
  );
}
