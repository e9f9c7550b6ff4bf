// The spool whose card was open last: the lists open where it is.
import { createContext } from "react";

export const LeftSpool = createContext<string | undefined>(undefined);
