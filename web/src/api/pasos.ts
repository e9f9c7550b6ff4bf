// /api/configuracion/pasos: the four steps of the first start, and which of them are done.
import { getJson, postSecret } from "./http";
import type { GetAnswer } from "./types";

export type FirstStepsAnswer = GetAnswer<"/api/configuracion/pasos">;
export type StepName = FirstStepsAnswer["pasos"][number]["paso"];

export const getFirstSteps = (signal?: AbortSignal): Promise<FirstStepsAnswer> => getJson("/api/configuracion/pasos", signal);

export const setStepDone = (paso: StepName, listo: boolean): Promise<FirstStepsAnswer> =>
  postSecret("/api/configuracion/pasos", { paso, listo });
