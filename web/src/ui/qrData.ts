// The data of a QR code (ISO/IEC 18004): bytes in byte mode, error correction level M, versions 1 to 10. Pure functions.

/** For each version from 1: error correction codewords per block, number of blocks. Level M. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
];
export const VERSION_MAX = BLOCKS.length;

/** Bits that are left for codewords when all patterns are drawn. */
function rawBits(version: number): number {
  const bits = (16 * version + 128) * version + 64;
  if (version < 2) return bits;
  const alignments = Math.floor(version / 7) + 2;
  return bits - (25 * alignments - 10) * alignments + 55 - (version >= 7 ? 36 : 0);
}

const codewordsOf = (version: number): number => Math.floor(rawBits(version) / 8);

function blocksOf(version: number): { ecc: number; count: number; data: number } {
  const [ecc, count] = BLOCKS[version - 1] ?? [0, 0];
  return { ecc, count, data: codewordsOf(version) - ecc * count };
}

/** The smallest version that holds this many bytes. */
export function versionFor(bytes: number): number {
  for (let version = 1; version <= VERSION_MAX; version++) {
    const head = version < 10 ? 12 : 20; // bits of the mode and the length
    if (Math.ceil((bytes * 8 + head) / 8) <= blocksOf(version).data) return version;
  }
  throw new Error("too long for a QR code");
}

/** All codewords of the code in the order in which they are drawn. */
export function codewords(bytes: Uint8Array, version: number): number[] {
  return interleaved(padded(bytes, version), version);
}

function padded(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number): void => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >>> i) & 1);
  };
  push(0b0100, 4); // byte mode
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  const capacity = blocksOf(version).data * 8;
  push(0, Math.min(4, capacity - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < capacity; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from({ length: bits.length / 8 }, (_, i) => bits.slice(i * 8, i * 8 + 8).reduce((all, bit) => (all << 1) | bit, 0));
}

function interleaved(data: readonly number[], version: number): number[] {
  const { ecc, count } = blocksOf(version);
  const short = Math.floor(data.length / count);
  const longBlocks = data.length % count;
  const divisor = generator(ecc);
  const blocks: number[][] = [];
  for (let i = 0, start = 0; i < count; i++) {
    const length = short + (i < count - longBlocks ? 0 : 1);
    blocks.push(data.slice(start, start + length));
    start += length;
  }
  const corrections = blocks.map((block) => remainder(block, divisor));
  return [...columns(blocks, short + 1), ...columns(corrections, ecc)];
}

const columns = (blocks: readonly number[][], length: number): number[] =>
  Array.from({ length }, (_, i) => blocks.flatMap((block) => block[i] ?? [])).flat();

/** Multiplication in GF(2^8) modulo 0x11d. */
function multiply(x: number, y: number): number {
  let product = 0;
  for (let i = 7; i >= 0; i--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((y >>> i) & 1) * x;
  }
  return product;
}

/** The Reed-Solomon generator polynomial of this degree, without its leading 1. */
function generator(degree: number): number[] {
  const result = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) result[j] = multiply(result[j] ?? 0, root) ^ (result[j + 1] ?? 0);
    root = multiply(root, 2);
  }
  return result;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  let result = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (result[0] ?? 0);
    result = divisor.map((term, i) => (result[i + 1] ?? 0) ^ multiply(term, factor));
  }
  return result;
}
