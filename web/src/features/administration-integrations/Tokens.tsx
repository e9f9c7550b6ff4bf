// The tokens of other systems: what each may do, when it was used and when it ends. Their secrets are nowhere to be seen again.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { listTokens, revokeToken, type ApiToken } from "@/api/tokens";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { timestampText, useShopMinute } from "@/shop/clock";
import { useAgo } from "@/shop/useAgo";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { RecordRow } from "@/ui/RecordRow";
import { TitledCard } from "@/ui/TitledCard";
import { PlusIcon } from "@/ui/icons";
import styles from "./Integrations.module.css";
import { MakeToken } from "./MakeToken";
import { tokenState, type TokenState } from "./tokens";

export const TOKENS = ["tokens"];
const TONES = { works: "good", soon: "warn", over: "bad", revoked: "plain" } as const satisfies Record<TokenState, string>;

export function Tokens() {
  const t = useWords();
  const readError = useReadErrorText();
  const [making, setMaking] = useState(false);
  const [asked, setAsked] = useState<ApiToken | null>(null);
  const read = useQuery({ queryKey: TOKENS, queryFn: ({ signal }) => listTokens(signal) });
  return (
    <TitledCard title={t("tokens.title")}>
      <p className={styles.hint}>{t("tokens.what")}</p>
      {read.isPending && <Loading label={t("app.loading")} />}
      {read.isError && !read.data && <EmptyState text={readError} />}
      {read.data?.length === 0 && <EmptyState text={t("tokens.none")} />}
      <ul aria-label={t("tokens.title")}>
        {read.data?.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => setAsked(token)} />
        ))}
      </ul>
      <div className={styles.buttons}>
        <Button tone="signal" icon={<PlusIcon />} onClick={() => setMaking(true)}>
          {t("tokens.make")}
        </Button>
      </div>
      {making && <MakeToken onClose={() => setMaking(false)} />}
      {asked && <AskRevokeToken token={asked} onClose={() => setAsked(null)} />}
    </TitledCard>
  );
}

function TokenRow({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const t = useWords();
  const ago = useAgo();
  const state = tokenState(token, useShopMinute().at);
  const { nombre, alcances, creado_en, creado_por, vence, ultimo_uso } = token;
  return (
    <RecordRow
      data-token={token.id}
      name={nombre}
      badges={
        <>
          <Badge tone={TONES[state]}>{t(`tokens.states.${state}`)}</Badge>
          {alcances.map((scope) => (
            <Badge key={scope}>{t(`tokens.scopes.${scope}`)}</Badge>
          ))}
        </>
      }
      facts={
        <>
          <span>{ultimo_uso === null ? t("tokens.never_used") : t("tokens.used", { ago: ago(ultimo_uso) ?? "" })}</span>
          {vence !== null && <span>{t("tokens.ends", { at: timestampText(vence) })}</span>}
          <span>{t("tokens.made", { at: timestampText(creado_en), label: creado_por ?? t("devices.command") })}</span>
        </>
      }
      actions={
        state === "revoked" ? undefined : (
          <Button aria-label={`${t("enrol.revoke")} ${nombre}`} onClick={onRevoke}>
            {t("enrol.revoke")}
          </Button>
        )
      }
    />
  );
}

function AskRevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const revoke = (): void =>
    run(async () => {
      await revokeToken(token.id);
      await cache.invalidateQueries({ queryKey: TOKENS });
      onClose();
    });
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="bad" size="large" disabled={busy} onClick={revoke}>
        {t("enrol.revoke")}
      </Button>
    </>
  );
  return (
    <Dialog title={t("enrol.ask_revoke", { name: token.nombre })} onClose={onClose} actions={actions}>
      <p>{t("tokens.revoke_why")}</p>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {pinPad}
    </Dialog>
  );
}
