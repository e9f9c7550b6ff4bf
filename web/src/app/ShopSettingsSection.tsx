// `/administracion/ajustes`: the shop's settings, and who changed them.
import { SettingsHistory } from "@/features/shop-settings/SettingsHistory";
import { ShopSettingsForm } from "@/features/shop-settings/ShopSettingsForm";
import { useWords } from "@/i18n";
import { notify } from "@/ui/notices";
import { SectionPage } from "@/ui/SectionPage";

export function ShopSettingsSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.ajustes.title")} intro={t("administration.ajustes.intro")}>
      <ShopSettingsForm save={t("shop_settings.save")} onSaved={() => notify("good", t("shop_settings.saved"))} />
      <SettingsHistory />
    </SectionPage>
  );
}
