// `/administracion/ajustes`.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function ShopSettingsSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.ajustes.title")} intro={t("administration.ajustes.intro")}>
      {null}
    </SectionPage>
  );
}
