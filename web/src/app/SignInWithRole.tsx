// In the place of an office page: somebody with one of its roles signs in. A person who is signed in without such a role reads why.
import type { Rol, Worker } from "@/api/types";
import { Identify } from "@/features/identify/Identify";
import { setClaim } from "@/features/sign-in/claim";
import { useRecentPeople } from "@/features/sign-in/useRecentPeople";
import { useAccess } from "@/session/access";
import { startSession } from "@/session/session";
import { Badge } from "@/ui/Badge";

export interface SignInWithRoleProps {
  worker: Worker | null;
  roles: readonly Rol[];
  /** The sentence for a person who is signed in without one of the roles. */
  notAllowed: (label: string) => string;
}

export function SignInWithRole({ worker, roles, notAllowed }: SignInWithRoleProps) {
  const open = useAccess().access?.modo === "open"; // the server runs without identity
  const recent = useRecentPeople(!open);
  const choose = open ? startSession : (chosen: Worker) => setClaim({ worker: chosen });
  return (
    <Identify rol={roles} onChosen={choose} recent={open ? undefined : recent}>
      {worker && (
        <p>
          <Badge tone="warn">{notAllowed(worker.label)}</Badge>
        </p>
      )}
    </Identify>
  );
}
