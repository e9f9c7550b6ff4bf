// Draws a QR code as a square of dark and light modules. Pure functions.
import { codewords, versionFor } from "./qrData";

export type Modules = readonly (readonly boolean[])[];

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The code with the mask that leaves the fewest long runs: cameras read it best. */
export function qrCode(text: string): Modules {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  const drawings = MASKS.map((_, mask) => drawn(bytes, version, mask));
  return drawings.reduce((best, other) => (runPenalty(other) < runPenalty(best) ? other : best));
}

export function drawn(bytes: Uint8Array, version: number, mask: number): Modules {
  const canvas = new Canvas(version * 4 + 17);
  canvas.patterns(version);
  canvas.format(mask);
  canvas.data(codewords(bytes, version), MASKS[mask] ?? (() => false));
  return canvas.modules;
}

class Canvas {
  readonly modules: boolean[][];
  private readonly reserved: boolean[][];

  constructor(private readonly size: number) {
    const empty = (): boolean[][] => Array.from({ length: size }, () => Array<boolean>(size).fill(false));
    this.modules = empty();
    this.reserved = empty();
  }

  patterns(version: number): void {
    const { size } = this;
    for (let i = 0; i < size; i++) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) this.square(x, y, 4, [0, 1, 3]);
    const places = alignmentPlaces(version, size);
    const last = places.length - 1;
    places.forEach((y, i) =>
      places.forEach((x, j) => {
        const atCorner = (i === 0 && (j === 0 || j === last)) || (i === last && j === 0);
        if (!atCorner) this.square(x, y, 2, [0, 2]);
      }),
    );
    if (version >= 7) this.version(version);
  }

  /** Rings around a centre; `dark`: the distances that are dark. */
  private square(cx: number, cy: number, radius: number, dark: readonly number[]): void {
    for (let dy = -radius; dy <= radius; dy++)
      for (let dx = -radius; dx <= radius; dx++) {
        const distance = Math.max(Math.abs(dx), Math.abs(dy));
        this.set(cx + dx, cy + dy, dark.includes(distance));
      }
  }

  private version(version: number): void {
    const bits = (version << 12) | checkBits(version, 12, 0x1f25);
    for (let i = 0; i < 18; i++) {
      const far = this.size - 11 + (i % 3);
      const near = Math.floor(i / 3);
      this.set(far, near, bit(bits, i));
      this.set(near, far, bit(bits, i));
    }
  }

  /** Level M and the mask, twice. */
  format(mask: number): void {
    const bits = ((mask << 10) | checkBits(mask, 10, 0x537)) ^ 0x5412;
    const { size } = this;
    for (let i = 0; i < 15; i++) {
      const first = i < 6 ? i : i < 8 ? i + 1 : i === 8 ? 7 : 14 - i;
      if (i < 8) this.set(8, first, bit(bits, i));
      else this.set(first, 8, bit(bits, i));
      if (i < 8) this.set(size - 1 - i, 8, bit(bits, i));
      else this.set(8, size - 15 + i, bit(bits, i));
    }
    this.set(8, size - 8, true);
  }

  /** Two columns at a time, upwards and downwards in turns, from the lower right corner. */
  data(all: readonly number[], mask: (x: number, y: number) => boolean): void {
    let i = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      const upwards = ((right + 1) & 2) === 0;
      for (let step = 0; step < this.size; step++)
        for (const x of [right, right - 1]) {
          const y = upwards ? this.size - 1 - step : step;
          if (this.reserved[y]?.[x]) continue;
          const dark = i < all.length * 8 && bit(all[i >>> 3] ?? 0, 7 - (i & 7));
          this.set(x, y, dark !== mask(x, y));
          i += 1;
        }
    }
  }

  private set(x: number, y: number, dark: boolean): void {
    const row = this.modules[y];
    const reserved = this.reserved[y];
    if (!row || !reserved || x < 0 || x >= this.size) return;
    row[x] = dark;
    reserved[x] = true;
  }
}

function alignmentPlaces(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((size - 13) / (count * 2 - 2)) * 2;
  const places = Array.from({ length: count - 1 }, (_, i) => size - 7 - i * step);
  return [6, ...places.reverse()];
}

const bit = (value: number, i: number): boolean => ((value >>> i) & 1) === 1;

/** The remainder of a BCH code with this generator. */
function checkBits(value: number, count: number, generator: number): number {
  let rest = value;
  for (let i = 0; i < count; i++) rest = (rest << 1) ^ ((rest >>> (count - 1)) * generator);
  return rest;
}

function runPenalty(modules: Modules): number {
  const columns = modules.map((_, x) => modules.map((row) => row[x] ?? false));
  return [...modules, ...columns].reduce((sum, line) => sum + runsOf(line), 0);
}

function runsOf(line: readonly boolean[]): number {
  let penalty = 0;
  let run = 0;
  line.forEach((dark, i) => {
    run = dark === line[i - 1] ? run + 1 : 1;
    if (run >= 5) penalty += run === 5 ? 3 : 1;
  });
  return penalty;
}
