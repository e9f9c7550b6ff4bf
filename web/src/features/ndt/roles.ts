// Who may do what about examinations. The server decides; the screens only hide what it would refuse.
import type { Rol, Worker } from "@/api/types";

const has = (worker: Worker, ...roles: Rol[]): boolean => worker.roles.some((rol) => roles.includes(rol));

export const mayExamine = (worker: Worker): boolean => has(worker, "NDT", "Metrologia");
export const mayRepair = (worker: Worker): boolean => has(worker, "Soldador", "Ayudante");
export const mayRequest = (worker: Worker): boolean => has(worker, "Supervisor");
