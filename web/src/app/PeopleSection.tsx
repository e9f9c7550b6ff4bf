// `/administracion/personas`: a supervisor sees those whom they may give a PIN.
import { People } from "@/features/administration-people/People";
import { useWorker } from "@/session/session";
import { isAdministrator } from "./administrationSections";

export function PeopleSection() {
  return <People administrator={isAdministrator(useWorker())} />;
}
