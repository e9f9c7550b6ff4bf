// The settings of this tablet: language and theme, and links to Mi día, examinations, the board, the supervisor's page and the administrator's.
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { chooseLanguage, useLanguage, useWords } from "@/i18n";
import { useVisit } from "@/session/session";
import { Button } from "@/ui/Button";
import { Choice } from "@/ui/Choice";
import { Dialog } from "@/ui/Dialog";
import { GearIcon } from "@/ui/icons";
import { chooseTheme, useTheme } from "@/ui/theme";
import { ChangePin } from "./ChangePin";
import styles from "./Settings.module.css";
import { StoredSpools } from "./StoredSpools";

export function Settings() {
  const t = useWords();
  const [open, setOpen] = useState(false);
  const [changingPin, setChangingPin] = useState(false);
  const changePin = (): void => {
    setOpen(false);
    setChangingPin(true);
  };
  return (
    <>
      <Button tone="quiet" aria-label={t("settings.open")} onClick={() => setOpen(true)}>
        <GearIcon />
      </Button>
      {open && <SettingsDialog onClose={() => setOpen(false)} onChangePin={changePin} />}
      {changingPin && <ChangePin onClose={() => setChangingPin(false)} />}
    </>
  );
}

function SettingsDialog({ onClose, onChangePin }: { onClose: () => void; onChangePin: () => void }) {
  const t = useWords();
  const { worker, signed } = useVisit();
  const administers = worker?.roles.some((rol) => rol === "Administrador" || rol === "Supervisor");
  const examines = worker?.roles.some((rol) => rol === "NDT" || rol === "Metrologia" || rol === "Supervisor");
  const close = (
    <Button tone="signal" onClick={onClose}>
      {t("app.close")}
    </Button>
  );
  return (
    <Dialog title={t("settings.title")} onClose={onClose} actions={close}>
      <div className={styles.settings}>
        <Choice
          label={t("settings.language")}
          value={useLanguage()}
          options={[
            { value: "es", label: "Español" },
            { value: "en", label: "English" },
          ]}
          onChange={chooseLanguage}
        />
        <Choice
          label={t("settings.theme")}
          value={useTheme()}
          options={[
            { value: "light", label: t("settings.light") },
            { value: "dark", label: t("settings.dark") },
          ]}
          onChange={chooseTheme}
        />
        {worker && <StoredSpools worker={worker} />}
        {signed?.proof === "pin" && <Button onClick={onChangePin}>{t("change_pin.title")}</Button>}
        <nav className={styles.links}>
          {examines && (
            <Link to="/ensayos" className={styles.link} onClick={onClose}>
              {t("ndt.title")}
            </Link>
          )}
          {worker && (
            <Link to="/mi-dia" className={styles.link} onClick={onClose}>
              {t("my_day.title")}
            </Link>
          )}
          <Link to="/tablero" className={styles.link}>
            {t("settings.board")}
          </Link>
          <Link to="/supervision" className={styles.link}>
            {t("settings.supervision")}
          </Link>
          {signed && administers && (
            <Link to="/administracion" className={styles.link}>
              {t("settings.administration")}
            </Link>
          )}
        </nav>
      </div>
    </Dialog>
  );
}
