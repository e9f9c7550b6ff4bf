// The people of the shop as an administrator or supervisor sees them, also those who left.
import { useQuery } from "@tanstack/react-query";

import { listPeople } from "@/api/personas";

export const PEOPLE = ["people"];
/** A workbook may ask for privileges, and PINs may be locked, while the page is open. */
const READ_EVERY_MS = 30_000;

export const usePeople = () =>
  useQuery({ queryKey: PEOPLE, queryFn: ({ signal }) => listPeople(signal), refetchInterval: READ_EVERY_MS });
