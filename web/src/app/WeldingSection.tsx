// `/administracion/soldadura`: for administrators and supervisors.
export { Welding as WeldingSection } from "@/features/administration-welding/Welding";
