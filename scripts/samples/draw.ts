import { createHash } from "node:crypto";

/** Draws items without repetition. The same seed, name and items give the same result. */
export function draw(options: {
  seed: string;
  name: string;
  from: readonly string[];
  count: number;
}): string[] {
  const { seed, name, from, count } = options;
  const rank = (item: string): string =>
    createHash("sha256").update(`${seed}\n${name}\n${item}`).digest("hex");
  return [...new Set(from)]
    .map((item) => ({ item, rank: rank(item) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ item }) => item);
}
