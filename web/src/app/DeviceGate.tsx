// Before a screen: whether this device may show it. A device that is not enrolled is told what to do.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { NotEnrolled } from "@/features/enrol/NotEnrolled";
import { useWords } from "@/i18n";
import { useAccess } from "@/session/access";
import { refreshAccess } from "@/session/access";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";

/** `people`: people work on this screen, so a wall board may not show it. */
export function DeviceGate({ people, children }: { people: boolean; children: ReactNode }) {
  const t = useWords();
  const { access, failed } = useAccess();
  if (access === null) {
    return (
      <main>
        {failed ? (
          <EmptyState heading text={t("app.unreachable")}>
            <Button onClick={() => void refreshAccess()}>{t("app.retry")}</Button>
          </EmptyState>
        ) : (
          <Loading label={t("app.loading")} />
        )}
      </main>
    );
  }
  if (access.modo !== "open" && !access.dispositivo) return <NotEnrolled administrator={access.administrador} />;
  if (people && access.dispositivo?.tipo === "tablero") return <BoardOnly name={access.dispositivo.nombre} />;
  return children;
}

function BoardOnly({ name }: { name: string }) {
  const t = useWords();
  return (
    <main>
      <EmptyState heading text={t("enrol.board_only", { name })}>
        <Link to="/tablero">{t("settings.board")}</Link>
      </EmptyState>
    </main>
  );
}
