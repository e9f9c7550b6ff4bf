// A QR code as a drawing, dark on white in both themes: cameras need it so.
import { useMemo } from "react";

import styles from "./QrImage.module.css";
import { qrCode } from "./qr";

/** Modules of white around the code, which readers need. */
const MARGIN = 4;

export function QrImage({ text, label }: { text: string; label: string }) {
  const modules = useMemo(() => qrCode(text), [text]);
  const size = modules.length + 2 * MARGIN;
  const path = modules.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : [])));
  return (
    <svg className={styles.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path fill="#ffffff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000000" d={path.join("")} />
    </svg>
  );
}
