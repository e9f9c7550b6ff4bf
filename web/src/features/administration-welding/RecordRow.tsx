// One procedure or qualification: what it is for, and the buttons to edit it, retire it or use it again.
import type { ReactNode } from "react";

import type { WeldingSaved } from "@/api/soldadura";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { useFollowSave } from "./reads";
import { rangeText, type Scope } from "./welding";
import styles from "./Welding.module.css";

export interface RecordRowProps {
  /** What it is called in the names of the buttons. */
  name: string;
  title: ReactNode;
  badges: ReactNode;
  facts: ReactNode;
  scope: Scope;
  active: boolean;
  onEdit: () => void;
  /** Saves it as retired, or as used again. */
  onSwitch: (activo: boolean) => Promise<WeldingSaved>;
}

export function RecordRow({ name, title, badges, facts, scope, active, onEdit, onSwitch }: RecordRowProps) {
  const t = useWords();
  const follow = useFollowSave();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const change = active ? t("welding.retire") : t("welding.restore");
  return (
    <li className={styles.record} data-record={name}>
      <div className={styles.words}>
        <p className={styles.line}>
          <strong className={styles.name}>{title}</strong>
          {badges}
        </p>
        <p className={styles.facts}>
          {facts}
          <ScopeFacts scope={scope} />
        </p>
        {problem !== null && <Callout tone="bad">{problem}</Callout>}
      </div>
      <div className={styles.buttons}>
        <Button disabled={busy} aria-label={`${t("welding.edit")} ${name}`} onClick={onEdit}>
          {t("welding.edit")}
        </Button>
        <Button disabled={busy} aria-label={`${change} ${name}`} onClick={() => run(() => follow(onSwitch(!active)))}>
          {change}
        </Button>
      </div>
      {pinPad}
    </li>
  );
}

/** Only what is limited. */
function ScopeFacts({ scope }: { scope: Scope }) {
  const { p_numeros, f_numero, espesor_min, espesor_max, dn_min, dn_max, posiciones } = scope;
  const texts = [
    p_numeros && `P ${p_numeros}`,
    f_numero && `F ${f_numero}`,
    rangeText(espesor_min, espesor_max, " mm"),
    rangeText(dn_min, dn_max, "″"),
    posiciones,
  ];
  return texts.filter((text) => text !== "").map((text) => <span key={text}>{text}</span>);
}
