// A new token: its name, what it may do and for how long; then the token itself, once.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { makeToken, type NewToken, type TokenScope } from "@/api/tokens";
import { useWords } from "@/i18n";
import { timestampText } from "@/shop/clock";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Choice } from "@/ui/Choice";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Toggles } from "@/ui/Toggles";
import styles from "./Integrations.module.css";
import { ShowSecret } from "./ShowSecret";
import { TOKENS } from "./Tokens";

const SCOPES = ["leer", "actuar", "administrar"] as const satisfies readonly TokenScope[];
const DAYS = ["30", "365", "1095"] as const;
const NAME_CHARS_MAX = 60;

export function MakeToken({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewToken | null>(null);
  const t = useWords();
  return made ? (
    <ShowSecret title={made.nombre} secret={made.token} once={t("tokens.shown_once")} onClose={onClose}>
      {t("tokens.ends", { at: timestampText(made.vence) })}
    </ShowSecret>
  ) : (
    <DescribeToken onMade={setMade} onClose={onClose} />
  );
}

function DescribeToken({ onMade, onClose }: { onMade: (made: NewToken) => void; onClose: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<TokenScope[]>(["leer"]);
  const [days, setDays] = useState<(typeof DAYS)[number]>("365");
  const make = (): void =>
    run(async () => {
      onMade(await makeToken(name.trim(), scopes, Number(days)));
      await cache.invalidateQueries({ queryKey: TOKENS });
    });
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" disabled={busy || name.trim() === "" || scopes.length === 0} onClick={make}>
        {t("tokens.make")}
      </Button>
    </>
  );
  return (
    <Dialog title={t("tokens.make")} size="large" onClose={onClose} actions={actions}>
      <div className={styles.form}>
        <Field
          label={t("tokens.name")}
          placeholder={t("tokens.name_example")}
          value={name}
          maxLength={NAME_CHARS_MAX}
          onChange={(event) => setName(event.target.value)}
        />
        <Toggles
          label={t("tokens.may")}
          hint={t("tokens.may_hint")}
          values={scopes}
          options={SCOPES.map((value) => ({ value, label: t(`tokens.scopes.${value}`) }))}
          onChange={setScopes}
        />
        <Choice
          label={t("tokens.for")}
          value={days}
          options={DAYS.map((value) => ({ value, label: t(`tokens.days.${value}`) }))}
          onChange={setDays}
        />
        {problem !== null && <Callout tone="bad">{problem}</Callout>}
      </div>
      {pinPad}
    </Dialog>
  );
}
