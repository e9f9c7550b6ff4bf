// Before a screen: whether this device may show it. A device that is not enrolled is told what to do.
import type { ReactNode } from "react";

import { BoardOnly } from "@/features/enrol/BoardOnly";
import { NotEnrolled } from "@/features/enrol/NotEnrolled";
import { useWords } from "@/i18n";
import { useServerState } from "@/live/hooks";
import { refreshAccess, useAccess } from "@/session/access";
import { Button } from "@/ui/Button";
import { ConnectionDot } from "@/ui/ConnectionDot";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { TopBar } from "@/ui/TopBar";

/** `people`: people work on this screen, so a wall board may not show it. */
export function DeviceGate({ people, children }: { people: boolean; children: ReactNode }) {
  const { access, failed } = useAccess();
  if (access === null) return <Unknown failed={failed} />;
  if (access.modo !== "open" && !access.dispositivo) return <NotEnrolled administrator={access.administrador} />;
  if (people && access.dispositivo?.tipo === "tablero") return <BoardOnly name={access.dispositivo.nombre} />;
  return children;
}

/** Until the server has said what this device may do. */
function Unknown({ failed }: { failed: boolean }) {
  const t = useWords();
  const connection = useServerState();
  return (
    <>
      <TopBar end={<ConnectionDot state={connection} label={t(`connection.${connection}`)} />}>
        <p>{t("app.name")}</p>
      </TopBar>
      <main>
        {failed && connection === "offline" ? (
          <EmptyState heading text={t("app.unreachable")}>
            <Button onClick={() => void refreshAccess()}>{t("app.retry")}</Button>
          </EmptyState>
        ) : (
          <Loading label={t("app.loading")} />
        )}
      </main>
    </>
  );
}
