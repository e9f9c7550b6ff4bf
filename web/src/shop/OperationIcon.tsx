// The icon of each operation.
import type { Operacion } from "@/api/types";
import { ArmIcon, MetrologiaIcon, ReparacionIcon, SoldIcon, type IconProps } from "@/ui/icons";

const ICONS = { ARM: ArmIcon, SOLD: SoldIcon, METROLOGIA: MetrologiaIcon, REPARACION: ReparacionIcon };

export function OperationIcon({ operacion, ...rest }: IconProps & { operacion: Operacion }) {
  const Icon = ICONS[operacion];
  return <Icon {...rest} />;
}
