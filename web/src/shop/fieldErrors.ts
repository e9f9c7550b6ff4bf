// What a refusal says about single fields of a form. Pure.
import type { Problem } from "@/api/types";

/** The reason by the name of the field; the first one if there are several. */
export type FieldErrors = Readonly<Record<string, string>>;

export const NO_ERRORS: FieldErrors = {};

export function fieldErrorsOf({ errors }: Problem): FieldErrors {
  if (!Array.isArray(errors)) return NO_ERRORS;
  const pairs = errors.filter(isFieldError).map(({ campo, motivo }) => [campo, sentence(motivo)] as const);
  return Object.fromEntries(pairs.reverse());
}

/** Every reason can be shown beside its field. */
export const allShown = (errors: FieldErrors, fields: readonly string[]): boolean => {
  const names = Object.keys(errors);
  return names.length > 0 && names.every((name) => fields.includes(name));
};

const isFieldError = (one: unknown): one is { campo: string; motivo: string } =>
  typeof one === "object" && one !== null && "campo" in one && "motivo" in one && typeof one.campo === "string" && typeof one.motivo === "string";

const sentence = (reason: string): string => reason.charAt(0).toUpperCase() + reason.slice(1);
