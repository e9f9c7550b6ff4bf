// Who uses this screen, where the server knows identities: signing in, the badge reader, and the lock. Shows nothing in mode `open`.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";

import type { Worker } from "@/api/types";
import { Identify } from "@/features/identify/Identify";
import { useReader } from "@/features/scan/useReader";
import { setClaim } from "@/features/sign-in/claim";
import { LockScreen } from "@/features/sign-in/LockScreen";
import { SignInDialog } from "@/features/sign-in/SignInDialog";
import { RECENT_PEOPLE, useRecentPeople } from "@/features/sign-in/useRecentPeople";
import { useAccess } from "@/session/access";
import { useVisit } from "@/session/session";
import { useLateOutcomes } from "./lateOutcomes";

export interface IdentityProps {
  /** A person signed in, also the one who was here before. */
  onSignedIn: (worker: Worker) => void;
  /** What a reader types is looked at elsewhere; else every code is a badge. */
  readsElsewhere?: boolean;
}

export function Identity({ onSignedIn, readsElsewhere = false }: IdentityProps) {
  const mode = useAccess().access?.modo ?? "open";
  const { worker, locked } = useVisit();
  const cache = useQueryClient();
  useReader(([badge = ""]) => setClaim({ badge }), mode !== "open" && !readsElsewhere);
  useEffect(() => {
    if (locked) setClaim(null); // what was being typed when the screen locked
  }, [locked]);
  useLateOutcomes(worker);
  if (mode === "open") return null;
  const signedIn = (signed: Worker): void => {
    void cache.invalidateQueries({ queryKey: RECENT_PEOPLE });
    onSignedIn(signed);
  };
  return (
    <>
      {worker && locked && <LockScreen worker={worker} reason={locked} identify={(chosen) => <SeenHere onChosen={chosen} />} />}
      <SignInDialog mode={mode} onSignedIn={signedIn} />
    </>
  );
}

/** The list of people with those of this device first. */
export function SeenHere({ onChosen, children }: { onChosen: (worker: Worker) => void; children?: ReactNode }) {
  return (
    <Identify onChosen={onChosen} recent={useRecentPeople(true)}>
      {children}
    </Identify>
  );
}
