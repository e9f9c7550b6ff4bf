// One procedure or qualification: what it is for, and the buttons to edit it, retire it or use it again.
import type { ReactNode } from "react";

import type { WeldingSaved } from "@/api/soldadura";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { RecordRow } from "@/ui/RecordRow";
import { useFollowSave } from "./reads";
import { rangeText, type Scope } from "./welding";

export interface WeldingRecordProps {
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

export function WeldingRecord({ name, title, badges, facts, scope, active, onEdit, onSwitch }: WeldingRecordProps) {
  const t = useWords();
  const follow = useFollowSave();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const change = active ? t("welding.retire") : t("welding.restore");
  return (
    <RecordRow
      data-record={name}
      name={title}
      badges={badges}
      facts={
        <>
          {facts}
          <ScopeFacts scope={scope} />
        </>
      }
      actions={
        <>
          <Button disabled={busy} aria-label={`${t("welding.edit")} ${name}`} onClick={onEdit}>
            {t("welding.edit")}
          </Button>
          <Button disabled={busy} aria-label={`${change} ${name}`} onClick={() => run(() => follow(onSwitch(!active)))}>
            {change}
          </Button>
        </>
      }
    >
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {pinPad}
    </RecordRow>
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
