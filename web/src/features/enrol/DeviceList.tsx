// The enrolled devices, for the administrator.
import { useQuery } from "@tanstack/react-query";

import { listDevices } from "@/api/inscripciones";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { Badge } from "@/ui/Badge";
import { EmptyState } from "@/ui/EmptyState";
import styles from "./Enrol.module.css";
import { DEVICES } from "./EnrolOther";

export function DeviceList() {
  const t = useWords();
  const readError = useReadErrorText();
  const devices = useQuery({ queryKey: DEVICES, queryFn: ({ signal }) => listDevices(signal) });
  if (devices.isError) return <EmptyState text={readError} />;
  return (
    <ul className={styles.devices} aria-label={t("enrol.devices")}>
      {devices.data?.dispositivos
        .filter(({ revocado_en }) => revocado_en === null)
        .map(({ id, nombre, tipo }) => (
          <li key={id} className={styles.device}>
            <strong>{nombre}</strong>
            <Badge>{t(`enrol.kinds.${tipo}`)}</Badge>
          </li>
        ))}
    </ul>
  );
}
