/**
 * Encodes a text as a QR code (ISO/IEC 18004): bytes, error correction level M, versions 1 to 15, mask 0. Readers accept
 * every mask. Returns the rows of the code, true for a dark module.
 */
export function qrMatrix(text: string): readonly (readonly boolean[])[] {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  const grid = createGrid(version);
  drawPatterns(grid);
  drawCodewords(grid, withCorrection(dataOf(bytes, version), version));
  return grid.rows;
}

interface Grid {
  readonly version: number;
  readonly size: number;
  readonly rows: boolean[][];
  /** True for each module (a square of the QR code) that belongs to a fixed pattern and carries no data. */
  readonly fixed: boolean[][];
}

/** Number of error correction codewords in a block, for each QR version at level M. */
const correctionLength = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
/** Number of blocks, for each QR version at level M. */
const blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];

function blocksOf(version: number): { length: number; count: number; total: number } {
  const aligns = Math.floor(version / 7) + 2;
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) modules -= (25 * aligns - 10) * aligns - 55;
  if (version >= 7) modules -= 36;
  const length = correctionLength[version - 1] ?? 0;
  const count = blockCounts[version - 1] ?? 0;
  return { length, count, total: Math.floor(modules / 8) };
}

function capacityOf(version: number): number {
  const { length, count, total } = blocksOf(version);
  return total - length * count;
}

const countBits = (version: number): number => (version < 10 ? 8 : 16);

function versionFor(length: number): number {
  for (let version = 1; version <= correctionLength.length; version += 1) {
    if (Math.ceil((4 + countBits(version)) / 8) + length <= capacityOf(version)) return version;
  }
  throw new RangeError(
    `the address has ${length} bytes, too many for a QR code; use a shorter one`,
  );
}

/** Returns the header, data and padding as whole codewords. */
function dataOf(bytes: Uint8Array, version: number): Uint8Array {
  const bits: number[] = [];
  const add = (value: number, length: number): void => {
    for (let shift = length - 1; shift >= 0; shift -= 1) bits.push((value >>> shift) & 1);
  };
  add(4, 4);
  add(bytes.length, countBits(version));
  for (const byte of bytes) add(byte, 8);
  add(0, Math.min(4, capacityOf(version) * 8 - bits.length));
  add(0, (8 - (bits.length % 8)) % 8);
  const data = new Uint8Array(capacityOf(version));
  for (const [index, bit] of bits.entries()) {
    data[index >>> 3] = (data[index >>> 3] ?? 0) | (bit << (7 - (index & 7)));
  }
  for (let index = bits.length / 8, pad = 0xec; index < data.length; index += 1, pad ^= 0xfd) {
    data[index] = pad;
  }
  return data;
}

/** Splits the data into blocks, adds error correction and interleaves the blocks. */
function withCorrection(data: Uint8Array, version: number): readonly number[] {
  const { length, count, total } = blocksOf(version);
  const shortCount = count - (total % count);
  const shortLength = Math.floor(total / count) - length;
  const divisor = divisorOf(length);
  const blocks: { data: Uint8Array; correction: readonly number[] }[] = [];
  for (let index = 0, start = 0; index < count; index += 1) {
    const end = start + shortLength + (index < shortCount ? 0 : 1);
    const part = data.subarray(start, end);
    blocks.push({ data: part, correction: remainderOf(part, divisor) });
    start = end;
  }
  const result: number[] = [];
  for (let index = 0; index <= shortLength; index += 1) {
    for (const block of blocks) {
      const value = block.data[index];
      if (value !== undefined) result.push(value);
    }
  }
  for (let index = 0; index < length; index += 1) {
    for (const { correction } of blocks) result.push(correction[index] ?? 0);
  }
  return result;
}

/** Multiplies in the field GF(256) with the polynomial 0x11d. */
function multiply(left: number, right: number): number {
  let product = 0;
  for (let shift = 7; shift >= 0; shift -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((right >>> shift) & 1) * left;
  }
  return product;
}

/** Coefficients of the Reed-Solomon divisor, without the first, which is 1. */
function divisorOf(degree: number): readonly number[] {
  const result: number[] = Array.from({ length: degree }, () => 0);
  result[degree - 1] = 1;
  for (let step = 0, root = 1; step < degree; step += 1, root = multiply(root, 2)) {
    for (let index = 0; index < degree; index += 1) {
      result[index] = multiply(result[index] ?? 0, root) ^ (result[index + 1] ?? 0);
    }
  }
  return result;
}

function remainderOf(data: Uint8Array, divisor: readonly number[]): readonly number[] {
  const result = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (result.shift() ?? 0);
    result.push(0);
    for (const [index, value] of divisor.entries()) {
      result[index] = (result[index] ?? 0) ^ multiply(value, factor);
    }
  }
  return result;
}

function createGrid(version: number): Grid {
  const size = version * 4 + 17;
  const empty = (): boolean[][] =>
    Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  return { version, size, rows: empty(), fixed: empty() };
}

function setFixed({ rows, fixed, size }: Grid, place: { x: number; y: number; on: boolean }): void {
  const { x, y, on } = place;
  const [row, fixedRow] = [rows[y], fixed[y]];
  if (row === undefined || fixedRow === undefined || x < 0 || x >= size) return;
  row[x] = on;
  fixedRow[x] = true;
}

function drawPatterns(grid: Grid): void {
  const { size, version } = grid;
  for (let index = 0; index < size; index += 1) {
    setFixed(grid, { x: 6, y: index, on: index % 2 === 0 });
    setFixed(grid, { x: index, y: 6, on: index % 2 === 0 });
  }
  const places = alignmentPlaces(version, size);
  for (const x of places) {
    for (const y of places) {
      const isCorner =
        [x, y].every((value) => value === 6 || value === size - 7) && x + y < 2 * (size - 7);
      if (!isCorner) drawSquare(grid, { x, y, radius: 2, light: [1] });
    }
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    drawSquare(grid, { x, y, radius: 4, light: [2, 4] });
  }
  drawFormat(grid);
  if (version >= 7) drawVersion(grid);
}

function alignmentPlaces(version: number, size: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const rest = Array.from({ length: count - 1 }, (_, index) => size - 7 - index * step);
  return [6, ...rest.toReversed()];
}

/** Draws a square of rings around a centre. `light` contains the distances of the light rings from the centre. */
function drawSquare(
  grid: Grid,
  square: { x: number; y: number; radius: number; light: readonly number[] },
): void {
  const { x, y, radius, light } = square;
  for (let down = -radius; down <= radius; down += 1) {
    for (let right = -radius; right <= radius; right += 1) {
      const on = !light.includes(Math.max(Math.abs(down), Math.abs(right)));
      setFixed(grid, { x: x + right, y: y + down, on });
    }
  }
}

/**
 * Format bits of a QR code with level M and mask 0. The QR standard XORs the format value with this fixed pattern. The
 * format value is 0, so the result is the pattern itself.
 */
const formatBits = 0x5412;

function drawFormat(grid: Grid): void {
  const { size } = grid;
  for (let index = 0; index < 15; index += 1) {
    const on = ((formatBits >>> index) & 1) === 1;
    const near = index < 6 ? index : index < 8 ? index + 1 : null;
    if (near !== null) setFixed(grid, { x: 8, y: near, on });
    else setFixed(grid, { x: index === 8 ? 7 : 14 - index, y: 8, on });
    if (index < 8) setFixed(grid, { x: size - 1 - index, y: 8, on });
    else setFixed(grid, { x: 8, y: size - 15 + index, on });
  }
  setFixed(grid, { x: 8, y: size - 8, on: true });
}

function drawVersion(grid: Grid): void {
  let rest = grid.version;
  for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (grid.version << 12) | rest;
  for (let index = 0; index < 18; index += 1) {
    const on = ((bits >>> index) & 1) === 1;
    const [far, near] = [grid.size - 11 + (index % 3), Math.floor(index / 3)];
    setFixed(grid, { x: far, y: near, on });
    setFixed(grid, { x: near, y: far, on });
  }
}

/**
 * Draws the data bits of the QR code in strips of two columns, alternately upwards and downwards, with mask pattern 0.
 */
function drawCodewords({ rows, fixed, size }: Grid, codewords: readonly number[]): void {
  let bit = 0;
  for (let pair = size - 1; pair >= 1; pair -= 2) {
    if (pair === 6) pair = 5;
    const isUpward = ((pair + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [pair, pair - 1]) {
        const row = rows[y];
        if (row === undefined || fixed[y]?.[x] === true) continue;
        const value = ((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1;
        bit += 1;
        row[x] = (value === 1) !== ((x + y) % 2 === 0);
      }
    }
  }
}
