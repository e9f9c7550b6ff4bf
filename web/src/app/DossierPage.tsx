// `/dossier`: the weld dossier of a spool, a work order or a list, for the office and for quality.
import { useSearch } from "@tanstack/react-router";

import { Dossiers } from "@/features/dossier/Dossiers";
import { useWords } from "@/i18n";
import { OfficePage } from "./OfficePage";

export function DossierPage() {
  const t = useWords();
  const { spool } = useSearch({ from: "/office/dossier" });
  return (
    <OfficePage
      title={t("dossier.title")}
      roles={["Supervisor", "Administrador", "Metrologia", "NDT"]}
      notAllowed={(label) => t("dossier.not_allowed", { label })}
    >
      {() => <Dossiers key={spool ?? ""} spool={spool} />}
    </OfficePage>
  );
}
