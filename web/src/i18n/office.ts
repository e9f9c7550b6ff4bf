// The sentences of the administrator's pages, loaded with these pages: a tablet of the floor does not need them.
import i18next from "i18next";

import { enAdministration } from "./en-administration";
import { enMachine } from "./en-machine";
import { enWebhooks } from "./en-webhooks";
import { enWelding } from "./en-welding";
import { esAdministration } from "./es-administration";
import { esMachine } from "./es-machine";
import { esWebhooks } from "./es-webhooks";
import { esWelding } from "./es-welding";

export const esOffice = { ...esAdministration, ...esMachine, ...esWebhooks, ...esWelding };
export const enOffice: typeof esOffice = { ...enAdministration, ...enMachine, ...enWebhooks, ...enWelding };

/** Called by each page that is loaded by itself and shows them. */
export function addOfficeSentences(): void {
  i18next.addResourceBundle("es", "translation", esOffice);
  i18next.addResourceBundle("en", "translation", enOffice);
}
