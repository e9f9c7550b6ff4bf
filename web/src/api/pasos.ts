// /api/configuracion/pasos: the four steps of the first start, and which of them are done.
import { getJson, postSecret } from "./http";

export type StepName = "administrador" | "taller" | "spools" | "tablet";

export interface FirstStepsAnswer {
  pasos: { paso: StepName; listo: boolean }[];
  terminado: boolean;
}

export const getFirstSteps = (signal?: AbortSignal): Promise<FirstStepsAnswer> => getJson("/api/configuracion/pasos", signal);

export const setStepDone = (paso: StepName, listo: boolean): Promise<FirstStepsAnswer> =>
  postSecret("/api/configuracion/pasos", { paso, listo });
