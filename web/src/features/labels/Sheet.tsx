// A sheet of labels as a drawing: the server says where everything goes, so that the screen, the browser's printer and the PDF agree.
import type { LabelSheet } from "@/api/etiquetas";
import styles from "./Labels.module.css";

export interface SheetProps {
  sheet: LabelSheet;
  width_mm: number;
  height_mm: number;
  /** What a screen reader says; missing on paper. */
  label?: string;
}

export function Sheet({ sheet, width_mm, height_mm, label }: SheetProps) {
  const words = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  return (
    <svg className={styles.sheet} viewBox={`0 0 ${width_mm} ${height_mm}`} width={`${width_mm}mm`} height={`${height_mm}mm`} {...words}>
      <path fill="#ffffff" d={`M0 0h${width_mm}v${height_mm}H0z`} />
      {sheet.codigos.map(({ x, y, modulo, trazo }) => (
        <path key={`${x} ${y}`} fill="#000000" transform={`translate(${x} ${y}) scale(${modulo})`} d={trazo} />
      ))}
      {sheet.textos.map(({ x, y, alto, ancho, negrita, texto }) => (
        <text
          key={`${x} ${y}`}
          x={x}
          y={y}
          fontSize={alto}
          fontWeight={negrita ? 700 : 400}
          textLength={ancho}
          lengthAdjust="spacingAndGlyphs"
          className={styles.words}
        >
          {texto}
        </text>
      ))}
    </svg>
  );
}
