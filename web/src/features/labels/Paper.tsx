// The sheets on paper: in the page, but seen only by the printer. The browser's print dialog opens when they are there.
import { useEffect } from "react";
import { createPortal } from "react-dom";

import type { SheetsAnswer } from "@/api/etiquetas";
import styles from "./Labels.module.css";
import { Sheet } from "./Sheet";

export function Paper({ sheets, onPrinted }: { sheets: SheetsAnswer; onPrinted: () => void }) {
  const { hojas, ancho_mm, alto_mm } = sheets;
  useEffect(() => {
    const removeSize = setPageSize(ancho_mm, alto_mm);
    addEventListener("afterprint", onPrinted);
    const timer = setTimeout(() => print()); // after the sheets are drawn
    return () => {
      clearTimeout(timer);
      removeEventListener("afterprint", onPrinted);
      removeSize();
    };
  }, [ancho_mm, alto_mm, onPrinted]);
  return createPortal(
    <div className={styles.paper} data-paper>
      {hojas.map((sheet, n) => (
        <div key={n} className={styles.page}>
          <Sheet sheet={sheet} width_mm={ancho_mm} height_mm={alto_mm} />
        </div>
      ))}
    </div>,
    document.body,
  );
}

/** The size of the paper is known only now; a style sheet made by a script is allowed, a style in the page is not. */
function setPageSize(width_mm: number, height_mm: number): () => void {
  const size = new CSSStyleSheet();
  size.replaceSync(`@page { size: ${width_mm}mm ${height_mm}mm; margin: 0 }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, size];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== size);
  };
}
