// The language of this tablet: Spanish, unless a person chose English.
import i18next from "i18next";
import { initReactI18next, useTranslation } from "react-i18next";

import { storage } from "@/storage/storage";
import { en } from "./en";
import { es } from "./es";

export type Language = "es" | "en";

const KEY = "carrete.language";

export function startLanguage(): void {
  const language: Language = storage.get(KEY) === "en" ? "en" : "es";
  void i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: "es",
    resources: { es: { translation: es }, en: { translation: en } },
    interpolation: { escapeValue: false }, // React escapes
  });
  document.documentElement.lang = language;
}

export function chooseLanguage(language: Language): void {
  storage.set(KEY, language);
  document.documentElement.lang = language;
  void i18next.changeLanguage(language);
}

export const useLanguage = (): Language => (useTranslation().i18n.language === "en" ? "en" : "es");

/** The sentences of the catalogue: `t("list.mine")`. An unknown key is a type error. */
export const useWords = () => useTranslation().t;

/** The same outside of React, for notices. */
export const words: typeof i18next.t = i18next.t.bind(i18next);
