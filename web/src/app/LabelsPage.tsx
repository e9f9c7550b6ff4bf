// `/etiquetas`: labels for spools and cards with badges, for supervisors and administrators.
import { Labels } from "@/features/labels/Labels";
import { useWords } from "@/i18n";
import { OfficePage } from "./OfficePage";

export function LabelsPage() {
  const t = useWords();
  return (
    <OfficePage title={t("labels.title")} roles={["Supervisor", "Administrador"]} notAllowed={(label) => t("labels.not_allowed", { label })}>
      {(worker, open) => <Labels badges={!open && worker.roles.includes("Administrador")} />}
    </OfficePage>
  );
}
