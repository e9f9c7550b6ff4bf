import type { es } from "./es";
import type { esOffice } from "./office";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof es & typeof esOffice };
  }
}
