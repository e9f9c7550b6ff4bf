// The connection with the shop's Google workbook: connected, or the steps that lead there.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { disconnectGoogle, type GoogleConnection } from "@/api/planilla-google";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { EmptyState } from "@/ui/EmptyState";
import { Fact, FactList } from "@/ui/FactList";
import { Loading } from "@/ui/Loading";
import { TitledCard } from "@/ui/TitledCard";
import { buttonClasses } from "@/ui/buttonLook";
import { ConnectSteps } from "./ConnectSteps";
import { GOOGLE, useGoogle } from "./reads";
import styles from "./GoogleCard.module.css";

/** `onConnected`: somebody connected it here. */
export function GoogleCard({ onConnected }: { onConnected?: () => void }) {
  const t = useWords();
  const readError = useReadErrorText();
  const read = useGoogle();
  const google = read.data;
  return (
    <TitledCard
      title={t("google.title")}
      badge={google && <Badge tone={google.conectada ? "good" : "plain"}>{t(google.conectada ? "google.connected" : "google.not_connected")}</Badge>}
    >
      {!google ? (
        read.isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />
      ) : (
        <>
          {google.fijado && <Callout tone="plain">{t("google.fixed")}</Callout>}
          {google.conectada ? <Connected google={google} /> : !google.fijado && <ConnectSteps google={google} onConnected={onConnected} />}
        </>
      )}
    </TitledCard>
  );
}

function Connected({ google: { hoja, cuenta, estado, fijado } }: { google: GoogleConnection }) {
  const t = useWords();
  const [asked, setAsked] = useState(false);
  return (
    <>
      {estado !== "" && <p>{estado}</p>}
      <FactList>
        {hoja && <Fact name={t("google.sheet")}>{hoja.titulo === "" ? hoja.id : hoja.titulo}</Fact>}
        {cuenta !== null && <Fact name={t("google.account")}>{cuenta}</Fact>}
      </FactList>
      <div className={styles.buttons}>
        {hoja && (
          <a className={buttonClasses({})} href={hoja.direccion} target="_blank" rel="noreferrer">
            {t("google.open")}
          </a>
        )}
        {!fijado && <Button onClick={() => setAsked(true)}>{t("google.disconnect")}</Button>}
      </div>
      {asked && <AskDisconnect onClose={() => setAsked(false)} />}
    </>
  );
}

function AskDisconnect({ onClose }: { onClose: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const disconnect = (): void =>
    run(async () => {
      await disconnectGoogle();
      await cache.invalidateQueries({ queryKey: GOOGLE });
      onClose();
    });
  return (
    <Dialog
      title={t("google.ask_disconnect")}
      onClose={onClose}
      actions={
        <>
          <Button size="large" onClick={onClose}>
            {t("app.cancel")}
          </Button>
          <Button tone="bad" size="large" disabled={busy} onClick={disconnect}>
            {t("google.disconnect")}
          </Button>
        </>
      }
    >
      <p>{t("google.disconnect_why")}</p>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {pinPad}
    </Dialog>
  );
}
