// An office page that some roles may open. Everybody else finds a sign-in in its place.
import type { ReactNode } from "react";

import type { Rol, Worker } from "@/api/types";
import { useWorker } from "@/session/session";
import { OfficeFrame, type OfficeFrameProps } from "./OfficeFrame";
import { SignInWithRole, type SignInWithRoleProps } from "./SignInWithRole";

interface OfficePageProps extends Pick<OfficeFrameProps, "title">, Pick<SignInWithRoleProps, "notAllowed"> {
  roles: readonly Rol[];
  home?: OfficeFrameProps["home"];
  children: (worker: Worker) => ReactNode;
}

export function OfficePage({ title, roles, notAllowed, home = "/supervision", children }: OfficePageProps) {
  const worker = useWorker();
  const allowed = worker?.roles.some((rol) => roles.includes(rol)) ?? false;
  return (
    <OfficeFrame title={title} home={home} worker={worker}>
      <main>{allowed && worker ? children(worker) : <SignInWithRole worker={worker} roles={roles} notAllowed={notAllowed} />}</main>
    </OfficeFrame>
  );
}
