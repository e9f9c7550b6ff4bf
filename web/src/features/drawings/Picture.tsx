// The picture with its numbers: a tap places or moves the chosen joint, a finger on a number drags it, the frame scrolls.
import { useRef, useState, type CSSProperties, type KeyboardEvent, type MouseEvent, type PointerEvent } from "react";

import { drawingAddress, type JointMark } from "@/api/planos";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { classes } from "@/ui/classes";
import styles from "./Drawing.module.css";
import type { Draft } from "./Editor";
import { placeIn, type Place } from "./marks";

const ZOOMS = [100, 150, 200, 300, 400] as const;
/** Thousandths that an arrow key moves a number. */
const STEP = 5;
const ARROWS: Record<string, Place> = { ArrowLeft: { x: -STEP, y: 0 }, ArrowRight: { x: STEP, y: 0 }, ArrowUp: { x: 0, y: -STEP }, ArrowDown: { x: 0, y: STEP } };

interface PictureProps {
  tag: string;
  drawing: Draft;
  current: number | null;
  onPlace: (n: number, at: Place) => void;
  onChoose: (n: number) => void;
  onRemove: (n: number) => void;
}

export function Picture({ tag, drawing, current, onPlace, onChoose, onRemove }: PictureProps) {
  const t = useWords();
  const [zoom, setZoom] = useState(0);
  const sheet = useRef<HTMLDivElement>(null);
  const placeAt = (n: number, { clientX, clientY }: { clientX: number; clientY: number }): void => {
    if (sheet.current) onPlace(n, placeIn(sheet.current.getBoundingClientRect(), clientX, clientY));
  };
  const tap = (event: MouseEvent): void => {
    if (current !== null) placeAt(current, event);
  };
  return (
    <>
      <div className={styles.zoom}>
        <Button aria-label={t("drawing.zoom_out")} disabled={zoom === 0} onClick={() => setZoom(zoom - 1)}>
          −
        </Button>
        <span>{t("drawing.zoom", { percent: ZOOMS[zoom] })}</span>
        <Button aria-label={t("drawing.zoom_in")} disabled={zoom === ZOOMS.length - 1} onClick={() => setZoom(zoom + 1)}>
          +
        </Button>
      </div>
      <div className={styles.frame} tabIndex={0} role="region" aria-label={t("drawing.picture", { tag })}>
        {/* Placing by keyboard: the buttons of the list, and the arrow keys on a number. */}
        <div ref={sheet} className={styles.sheet} style={{ width: `${ZOOMS[zoom]}%` }} onClick={tap}>
          <img className={styles.picture} src={drawingAddress(drawing.plano ?? "")} width={drawing.ancho} height={drawing.alto} alt={t("drawing.picture", { tag })} draggable={false} />
          {drawing.marcas.map((mark) => (
            <Mark
              key={mark.n_union}
              mark={mark}
              chosen={mark.n_union === current}
              onChoose={() => onChoose(mark.n_union)}
              onDrag={(event) => placeAt(mark.n_union, event)}
              onMove={({ x, y }) => onPlace(mark.n_union, { x: mark.x + x, y: mark.y + y })}
              onRemove={() => onRemove(mark.n_union)}
            />
          ))}
        </div>
      </div>
    </>
  );
}

interface MarkProps {
  mark: JointMark;
  chosen: boolean;
  onChoose: () => void;
  onDrag: (event: PointerEvent) => void;
  onMove: (by: Place) => void;
  onRemove: () => void;
}

/** Pixels that a finger may shake before it drags. */
const SHAKE_PX = 6;

function Mark({ mark, chosen, onChoose, onDrag, onMove, onRemove }: MarkProps) {
  const t = useWords();
  const began = useRef<{ x: number; y: number; dragging: boolean } | null>(null);
  const down = (event: PointerEvent): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    began.current = { x: event.clientX, y: event.clientY, dragging: false };
    onChoose();
  };
  const move = (event: PointerEvent): void => {
    const from = began.current;
    if (!from) return;
    from.dragging ||= Math.hypot(event.clientX - from.x, event.clientY - from.y) > SHAKE_PX;
    if (from.dragging) onDrag(event);
  };
  const end = (): void => {
    began.current = null;
  };
  const key = (event: KeyboardEvent): void => {
    const by = ARROWS[event.key];
    if (by) onMove(by);
    else if (event.key === "Delete") onRemove();
    else return;
    event.preventDefault();
  };
  const at: CSSProperties = { left: `${mark.x / 10}%`, top: `${mark.y / 10}%` };
  return (
    <button
      type="button"
      className={classes(styles.mark, chosen && styles.chosen)}
      style={at}
      aria-pressed={chosen}
      aria-label={t("drawing.joint", { n: mark.n_union })}
      onClick={(event) => {
        event.stopPropagation();
        onChoose();
      }}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={key}
    >
      <span className={styles.number}>{mark.n_union}</span>
    </button>
  );
}
