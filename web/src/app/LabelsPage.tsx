// `/etiquetas`: labels for spools and cards with badges, for supervisors and administrators.
import { Labels } from "@/features/labels/Labels";
import { useWords } from "@/i18n";
import { useAccess } from "@/session/access";
import { OfficePage } from "./OfficePage";

export function LabelsPage() {
  const t = useWords();
  const isOpen = useAccess().access?.modo === "open"; // nobody has a badge then
  return (
    <OfficePage title={t("labels.title")} roles={["Supervisor", "Administrador"]} notAllowed={(label) => t("labels.not_allowed", { label })}>
      {(worker) => <Labels badges={!isOpen && worker.roles.includes("Administrador")} />}
    </OfficePage>
  );
}
