// Which person the address shows: `/administracion/personas?persona=93`.
export interface ChosenPerson {
  persona?: number;
}

export function chosenPerson(search: Record<string, unknown>): ChosenPerson {
  const persona = Number(search.persona);
  return Number.isInteger(persona) && persona > 0 ? { persona } : {};
}
