// The devices of the shop, for the administrator: when each was last seen, renaming, and revoking one that was lost or stolen.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { DevicesAnswer } from "@/api/identity-types";
import { listDevices } from "@/api/inscripciones";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useAccess } from "@/session/access";
import { timestampText } from "@/shop/clock";
import { useAgo } from "@/shop/useAgo";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { RecordRow } from "@/ui/RecordRow";
import { TitledCard } from "@/ui/TitledCard";
import { BoardIcon, DeviceIcon, OfficeIcon } from "@/ui/icons";
import styles from "./DeviceList.module.css";
import { AskRevoke, RenameDevice } from "./DeviceDialogs";
import { DEVICES } from "./EnrolOther";

export type ListedDevice = DevicesAnswer["dispositivos"][number];

/** When a device was last seen changes while nobody touches this page. */
const READ_EVERY_MS = 30_000;
const ICONS = { tablet: DeviceIcon, tablero: BoardIcon, oficina: OfficeIcon };

export function DeviceList() {
  const t = useWords();
  const readError = useReadErrorText();
  const [asked, setAsked] = useState<{ what: "rename" | "revoke"; device: ListedDevice } | null>(null);
  const read = useQuery({ queryKey: DEVICES, queryFn: ({ signal }) => listDevices(signal), refetchInterval: READ_EVERY_MS });
  if (!read.data) return read.isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />;
  const inUse = read.data.dispositivos.filter(({ revocado_en }) => revocado_en === null);
  const revoked = read.data.dispositivos.filter(({ revocado_en }) => revocado_en !== null);
  const close = (): void => setAsked(null);
  return (
    <TitledCard title={t("devices.in_use")} badge={<Badge>{inUse.length}</Badge>}>
      {inUse.length === 0 && <EmptyState text={t("devices.none")} />}
      <ul className={styles.devices} aria-label={t("enrol.devices")}>
        {inUse.map((device) => (
          <DeviceRow
            key={device.id}
            device={device}
            onRename={() => setAsked({ what: "rename", device })}
            onRevoke={() => setAsked({ what: "revoke", device })}
          />
        ))}
      </ul>
      {revoked.length > 0 && <Revoked devices={revoked} />}
      {asked?.what === "rename" && <RenameDevice device={asked.device} onClose={close} />}
      {asked?.what === "revoke" && <AskRevoke device={asked.device} onClose={close} />}
    </TitledCard>
  );
}

function DeviceRow({ device, onRename, onRevoke }: { device: ListedDevice; onRename: () => void; onRevoke: () => void }) {
  const t = useWords();
  const ago = useAgo();
  const isThis = useAccess().access?.dispositivo?.id === device.id;
  const Icon = ICONS[device.tipo];
  return (
    <RecordRow
      data-device={device.id}
      icon={<Icon size={36} className={styles.icon} />}
      name={device.nombre}
      badges={
        <>
          <Badge>{t(`enrol.kinds.${device.tipo}`)}</Badge>
          {isThis && <Badge tone="signal">{t("devices.this")}</Badge>}
        </>
      }
      facts={
        <>
          <span>{t("devices.seen", { ago: ago(device.ultimo_uso) ?? "" })}</span>
          <span>
            {device.inscrito_por === null
              ? t("devices.enrolled", { at: timestampText(device.inscrito_en) })
              : t("devices.enrolled_by", { at: timestampText(device.inscrito_en), label: device.inscrito_por })}
          </span>
        </>
      }
      actions={
        <>
          <Button aria-label={`${t("devices.rename")} ${device.nombre}`} onClick={onRename}>
            {t("devices.rename")}
          </Button>
          <Button aria-label={`${t("enrol.revoke")} ${device.nombre}`} onClick={onRevoke}>
            {t("enrol.revoke")}
          </Button>
        </>
      }
    />
  );
}

function Revoked({ devices }: { devices: readonly ListedDevice[] }) {
  const t = useWords();
  const [open, setOpen] = useState(false);
  return (
    <>
      <div className={styles.buttons}>
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? "devices.hide_revoked" : "devices.show_revoked", { count: devices.length })}
        </Button>
      </div>
      {open && (
        <ul className={styles.devices} aria-label={t("devices.revoked")}>
          {devices.map(({ id, nombre, tipo, revocado_en, revocado_por }) => (
            <RecordRow
              key={id}
              name={nombre}
              badges={<Badge>{t(`enrol.kinds.${tipo}`)}</Badge>}
              facts={t("devices.revoked_at", { at: timestampText(revocado_en ?? ""), label: revocado_por ?? t("devices.command") })}
            />
          ))}
        </ul>
      )}
    </>
  );
}
