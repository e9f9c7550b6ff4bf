// `/administracion/integraciones`.
export { Integrations as IntegrationsSection } from "@/features/administration-integrations/Integrations";
