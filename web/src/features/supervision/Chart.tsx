// A bar chart, drawn by uPlot. For the keyboard it is a slider: the arrow keys go from bar to bar, and screen readers read each.
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

import { decimal } from "@/shop/decimal";
import { useTheme } from "@/ui/theme";
import { valueText } from "./figures";
import type { FigureProps } from "./Figure";
import styles from "./Chart.module.css";

const HEIGHT_PX = 280;
const LABELS_FLAT_MAX = 8;

export function Chart(figure: FigureProps) {
  const { title, labels, series, unit } = figure;
  const [index, setIndex] = useState(0);
  const selected = Math.min(index, labels.length - 1);
  const [container, select] = usePlot(figure, setIndex);
  const values = series.map(({ name, values }) => `${name} ${valueText(values[selected] ?? null, unit)}`);
  const text = `${labels[selected] ?? ""}: ${values.join(", ")}`;
  return (
    <>
      <div
        className={styles.chart}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={labels.length - 1}
        aria-valuenow={selected}
        aria-valuetext={text}
        onKeyDown={(event) => {
          const next = indexAfterKey(event, selected, labels.length);
          if (next !== null) select(next);
        }}
        ref={container}
      />
      <p className={styles.text} aria-hidden="true">
        {text}
      </p>
    </>
  );
}

function indexAfterKey(event: KeyboardEvent, index: number, count: number): number | null {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -count, End: count };
  const step = steps[event.key];
  if (step === undefined) return null;
  event.preventDefault();
  return Math.max(0, Math.min(count - 1, index + step));
}

/** The element that uPlot draws into, and the function that selects a bar. */
type Plot = [container: RefObject<HTMLDivElement | null>, select: (index: number) => void];

/** The chart is drawn again when the figures, the language or the theme change: that is rare and takes a few milliseconds. */
function usePlot(figure: FigureProps, onSelect: (index: number) => void): Plot {
  const theme = useTheme();
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const drawnState = JSON.stringify([figure, theme]);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const [drawn] = JSON.parse(drawnState) as [FigureProps];
    const chart = new uPlot(options(drawn, element, onSelect), data(drawn), element);
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [drawnState, onSelect]);
  const select = (index: number): void => {
    const chart = plot.current;
    chart?.setCursor({ left: chart.valToPos(index, "x"), top: chart.bbox.height / devicePixelRatio / 2 });
  };
  return [container, select];
}

const data = ({ labels, series }: FigureProps): uPlot.AlignedData => [
  labels.map((_, i) => i),
  ...series.map(({ values }) => values),
];

function options(figure: FigureProps, element: HTMLElement, onSelect: (index: number) => void): uPlot.Options {
  const token = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
  const { labels, series, max } = figure;
  const last = labels.length - 1;
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: () => [-0.6, last + 0.6] },
      y: { range: (_, __, top) => [0, max ?? niceTop(top)] },
    },
    axes: [xAxis(labels, token), yAxis(token)],
    series: [{}, ...series.map(({ name }, i) => bars(name, i, series.length, token))],
    hooks: { setCursor: [(chart) => typeof chart.cursor.idx === "number" && onSelect(chart.cursor.idx)] },
  };
}

const niceTop = (top: number): number => (top > 0 ? top * 1.08 : 1);

/** The last series is yellow, those before it grey; both have an outline, because yellow on white is faint. */
function bars(label: string, index: number, count: number, token: (name: string) => string): uPlot.Series {
  const align = count === 1 ? 0 : index === 0 ? -1 : 1;
  const paths = uPlot.paths.bars?.({ size: [count === 1 ? 0.66 : 0.36, 64], align });
  return {
    label,
    fill: token(index === count - 1 ? "--signal" : "--ink-soft"),
    stroke: token("--ink"),
    width: 1,
    points: { show: false },
    ...(paths && { paths }),
  };
}

const font = (token: (name: string) => string): string => `600 15px ${token("--font-condensed")}`;

function xAxis(labels: string[], token: (name: string) => string): uPlot.Axis {
  const flat = labels.length <= LABELS_FLAT_MAX;
  return {
    font: font(token),
    stroke: token("--ink"),
    grid: { show: false },
    ticks: { show: false },
    rotate: flat ? 0 : -60,
    size: flat ? 34 : 68,
    space: flat ? 30 : 20,
    incrs: [1, 2, 3, 5, 7, 14, 30, 60, 90, 180],
    values: (_, splits) => splits.map((at) => shortLabel(labels[at] ?? "")),
  };
}

/** A day without its year: the period above the chart has it. */
const shortLabel = (label: string): string => label.replace(/^(\d\d-\d\d)-\d{4}$/, "$1");

function yAxis(token: (name: string) => string): uPlot.Axis {
  return {
    font: font(token),
    stroke: token("--ink-soft"),
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
    size: 60,
    values: (_, splits) => splits.map(decimal),
  };
}
