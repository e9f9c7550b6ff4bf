// `/configurar`: the first administrator, who then enrols the first tablet.
import { useState } from "react";

import { EnrolOther } from "@/features/enrol/EnrolOther";
import { Setup } from "@/features/enrol/Setup";
import { useWords } from "@/i18n";
import { useIdleExit } from "@/session/watch";
import { Button } from "@/ui/Button";
import { Identity } from "./Identity";

export function SetupPage() {
  const t = useWords();
  const [enrolling, setEnrolling] = useState(false);
  useIdleExit();
  return (
    <Setup>
      <Identity onSignedIn={() => undefined} />
      {enrolling ? (
        <EnrolOther />
      ) : (
        <Button tone="signal" size="large" onClick={() => setEnrolling(true)}>
          {t("setup.enrol_tablet")}
        </Button>
      )}
    </Setup>
  );
}
