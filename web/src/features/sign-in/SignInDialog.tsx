// Somebody wants to sign in: their PIN, or in mode `device` nothing more for floor workers.
import { useEffect, useRef } from "react";

import { RefusedError } from "@/api/http";
import type { Claimant } from "@/api/identity-types";
import type { Worker } from "@/api/types";
import { words, useWords } from "@/i18n";
import { signIn } from "@/session/signIn";
import { PinEntry } from "@/shop/PinEntry";
import { Face } from "@/ui/Face";
import { notify } from "@/ui/notices";
import { Sheet } from "@/ui/Sheet";
import { type Claim, needsPin, setClaim, useClaim } from "./claim";
import styles from "./SignIn.module.css";

interface SignInDialogProps {
  mode: "pin" | "device";
  onSignedIn: (worker: Worker) => void;
}

/** Shows nothing while nobody wants to sign in. */
export function SignInDialog({ mode, onSignedIn }: SignInDialogProps) {
  const claim = useClaim();
  if (!claim) return null;
  const done = (worker: Worker): void => {
    setClaim(null);
    onSignedIn(worker);
  };
  const key = "badge" in claim ? claim.badge : claim.worker.id;
  return needsPin(mode, claim) ? (
    <AskPin key={key} claim={claim} onDone={done} />
  ) : (
    <WithoutPin key={key} claim={claim} onDone={done} />
  );
}

interface ClaimProps {
  claim: Claim;
  onDone: (worker: Worker) => void;
}

const claimantOf = (claim: Claim): Claimant => ("badge" in claim ? { badge: claim.badge } : { worker_id: claim.worker.id });

function AskPin({ claim, onDone }: ClaimProps) {
  const t = useWords();
  const cancel = (): void => setClaim(null);
  const worker = "worker" in claim ? claim.worker : null;
  return (
    <Sheet title={worker ? `${worker.nombre} ${worker.apellido}` : t("pin.badge")} onClose={cancel}>
      {worker && <Face label={worker.label} size="large" />}
      {"badge" in claim && <p className={styles.read}>{claim.badge}</p>}
      <p className={styles.ask}>{t("pin.ask")}</p>
      <PinEntry onBack={cancel} onPin={async (pin) => onDone(await signIn(claimantOf(claim), pin))} />
    </Sheet>
  );
}

/** In mode `device`. A badge may belong to somebody who has to type their PIN: the server then asks for it. */
function WithoutPin({ claim, onDone }: ClaimProps) {
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    signIn(claimantOf(claim), null).then(onDone, (error: unknown) => {
      const code = error instanceof RefusedError ? error.problem.code : null;
      if (code === "PIN_REQUERIDO" && "badge" in claim) setClaim({ badge: claim.badge, withPin: true });
      else setClaim(null);
      if (code !== "PIN_REQUERIDO") notify("bad", error instanceof RefusedError ? error.message : words("pin.offline"));
    });
  });
  return null;
}
