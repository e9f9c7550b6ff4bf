// `/administracion/accesos`.
export { Accesses as AccessesSection } from "@/features/administration-accesses/Accesses";
