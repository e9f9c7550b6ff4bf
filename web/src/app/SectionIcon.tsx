// The drawing of each section of the administrator's page.
import type { ComponentType } from "react";

import {
  BackupIcon,
  DeviceIcon,
  DoorIcon,
  GearIcon,
  PersonIcon,
  PlugIcon,
  PulseIcon,
  SoldIcon,
  WorkbookIcon,
  type IconProps,
} from "@/ui/icons";
import type { Section } from "./administrationSections";

const ICONS: Record<Section, ComponentType<IconProps>> = {
  personas: PersonIcon,
  soldadura: SoldIcon,
  dispositivos: DeviceIcon,
  planilla: WorkbookIcon,
  ajustes: GearIcon,
  respaldo: BackupIcon,
  integraciones: PlugIcon,
  accesos: DoorIcon,
  sistema: PulseIcon,
};

export function SectionIcon({ section, ...rest }: { section: Section } & IconProps) {
  const Icon = ICONS[section];
  return <Icon {...rest} />;
}
