// `/administracion/dispositivos`: the administrator enrols devices and sees those of the shop.
import { DeviceList } from "@/features/enrol/DeviceList";
import { EnrolOther } from "@/features/enrol/EnrolOther";
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";
import { TitledCard } from "@/ui/TitledCard";

export function DevicesSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.dispositivos.title")} intro={t("administration.dispositivos.intro")}>
      <TitledCard title={t("devices.add")}>
        <EnrolOther />
      </TitledCard>
      <DeviceList />
    </SectionPage>
  );
}
