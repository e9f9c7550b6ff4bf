// What other systems may do here, and what Carrete tells them.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";
import { Tokens } from "./Tokens";
import { Webhook } from "./Webhook";
import { Webhooks } from "./Webhooks";

export function Integrations() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.integraciones.title")} intro={t("administration.integraciones.intro")}>
      <Tokens />
      <Webhooks />
      <Webhook />
    </SectionPage>
  );
}
