// The first screen: the worker says who they are, and goes straight to the list if they have only one operation.
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

import type { Worker } from "@/api/types";
import { Identify } from "@/features/identify/Identify";
import { ScanButton } from "@/features/scan/ScanButton";
import { setClaim } from "@/features/sign-in/claim";
import { useAccess } from "@/session/access";
import { startSession, useWorker } from "@/session/session";
import { SeenHere } from "./Identity";
import { firstScreenOf } from "./routes";

export function IdentifyPage() {
  const navigate = useNavigate();
  const open = useAccess().access?.modo === "open";
  const worker = useWorker();
  useEffect(() => {
    if (worker) void navigate(firstScreenOf(worker)); // in another tab, or as the server says
  }, [worker, navigate]);
  const onChosen = (chosen: Worker): void => {
    startSession(chosen);
    void navigate(firstScreenOf(chosen));
  };
  return (
    <main>
      {open ? (
        <Identify onChosen={onChosen} />
      ) : (
        <SeenHere onChosen={(chosen) => setClaim({ worker: chosen })}>
          <ScanButton withWord />
        </SeenHere>
      )}
    </main>
  );
}
