// What the setup page asks for, and when it is complete. Pure.

export interface SetupFields {
  codigo: string;
  id: string;
  nombre: string;
  apellido: string;
  pin: string;
  again: string;
  dispositivo: string;
}

/** Somebody whom the shop knows already needs no name. */
export const isReady = ({ codigo, id, pin, again, dispositivo }: SetupFields): boolean =>
  [codigo, dispositivo].every((text) => text.trim() !== "") &&
  /^[1-9]\d*$/.test(id) &&
  /^\d{6}$/.test(pin) &&
  pin === again;
