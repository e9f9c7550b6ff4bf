// The enrolled devices, for the administrator, who can revoke one that was lost or stolen.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { DevicesAnswer } from "@/api/identity-types";
import { listDevices, revokeDevice } from "@/api/inscripciones";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { EmptyState } from "@/ui/EmptyState";
import styles from "./Enrol.module.css";
import { DEVICES } from "./EnrolOther";
import { useRequest } from "./useRequest";

type ListedDevice = DevicesAnswer["dispositivos"][number];

export function DeviceList() {
  const t = useWords();
  const readError = useReadErrorText();
  const [asked, setAsked] = useState<ListedDevice | null>(null);
  const devices = useQuery({ queryKey: DEVICES, queryFn: ({ signal }) => listDevices(signal) });
  if (devices.isError) return <EmptyState text={readError} />;
  return (
    <>
      <ul className={styles.devices} aria-label={t("enrol.devices")}>
        {devices.data?.dispositivos
          .filter(({ revocado_en }) => revocado_en === null)
          .map((device) => (
            <li key={device.id} className={styles.device}>
              <strong className={styles.deviceName}>{device.nombre}</strong>
              <Badge>{t(`enrol.kinds.${device.tipo}`)}</Badge>
              <Button aria-label={`${t("enrol.revoke")} ${device.nombre}`} onClick={() => setAsked(device)}>
                {t("enrol.revoke")}
              </Button>
            </li>
          ))}
      </ul>
      {asked && <AskRevoke device={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function AskRevoke({ device, onClose }: { device: ListedDevice; onClose: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run } = useRequest();
  const revoke = (): void =>
    run(async () => {
      await revokeDevice(device.id);
      await cache.invalidateQueries({ queryKey: DEVICES });
      onClose();
    });
  return (
    <Dialog
      title={t("enrol.ask_revoke", { name: device.nombre })}
      onClose={onClose}
      actions={
        <>
          <Button size="large" onClick={onClose}>
            {t("app.cancel")}
          </Button>
          <Button tone="bad" size="large" disabled={busy} onClick={revoke}>
            {t("enrol.revoke")}
          </Button>
        </>
      }
    >
      <p>{t("enrol.revoke_why")}</p>
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </Dialog>
  );
}
