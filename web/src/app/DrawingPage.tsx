// `/plano/TAG`: the drawing of a spool and the numbers of its joints on it, for supervisors and administrators.
import { useParams } from "@tanstack/react-router";

import { Drawing } from "@/features/drawings/Drawing";
import { useWords } from "@/i18n";
import { OfficePage } from "./OfficePage";

export function DrawingPage() {
  const t = useWords();
  const { tag } = useParams({ from: "/office/plano/$tag" });
  return (
    <OfficePage title={t("drawing.title")} roles={["Supervisor", "Administrador"]} notAllowed={(label) => t("drawing.not_allowed", { label })}>
      {() => <Drawing key={tag} tag={tag} />}
    </OfficePage>
  );
}
