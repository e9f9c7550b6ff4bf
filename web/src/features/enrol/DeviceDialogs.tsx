// What an administrator does with one device: another name, or an end.
import { useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";

import { renameDevice, revokeDevice } from "@/api/inscripciones";
import { useWords } from "@/i18n";
import { refreshAccess, useAccess } from "@/session/access";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import type { ListedDevice } from "./DeviceList";
import { DEVICES } from "./EnrolOther";
import { useRequest } from "./useRequest";

const NAME_CHARS_MAX = 60;

export function RenameDevice({ device, onClose }: { device: ListedDevice; onClose: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run } = useRequest();
  const [name, setName] = useState(device.nombre);
  const ready = name.trim() !== "" && name.trim() !== device.nombre && !busy;
  const rename = (): void =>
    run(async () => {
      await renameDevice(device.id, name.trim());
      await Promise.all([cache.invalidateQueries({ queryKey: DEVICES }), refreshAccess()]);
      onClose();
    });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (ready) rename();
  };
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" disabled={!ready} onClick={rename}>
        {t("devices.rename")}
      </Button>
    </>
  );
  return (
    <Dialog title={t("devices.ask_rename", { name: device.nombre })} onClose={onClose} actions={actions}>
      <form onSubmit={submit}>
        <Field label={t("enrol.name")} value={name} maxLength={NAME_CHARS_MAX} onChange={(event) => setName(event.target.value)} />
      </form>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
    </Dialog>
  );
}

export function AskRevoke({ device, onClose }: { device: ListedDevice; onClose: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const isThis = useAccess().access?.dispositivo?.id === device.id;
  const { busy, problem, run } = useRequest();
  const revoke = (): void =>
    run(async () => {
      await revokeDevice(device.id);
      await Promise.all([cache.invalidateQueries({ queryKey: DEVICES }), refreshAccess()]);
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
      {isThis && <Callout tone="warn">{t("devices.revoke_this")}</Callout>}
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
    </Dialog>
  );
}
