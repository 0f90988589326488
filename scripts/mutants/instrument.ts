import type { Mutant } from "./find.ts";

/**
 * Inserts all mutants into a file. `globalThis.mutant` is the number of the active mutant; the others have no effect.
 * So the source is copied only once, and each mutant needs only one process.
 */
export function instrument(
  text: string,
  mutants: readonly (Mutant & { readonly id: number })[],
): string {
  const inserts = mutants.flatMap((mutant) => {
    const [before, after] = wrap(mutant);
    const length = mutant.end - mutant.start;
    // If two mutants start at the same position, the longer one encloses the shorter one.
    return [
      { at: mutant.start, order: 1_000_000 - length, insert: before },
      { at: mutant.end, order: length - 1_000_000, insert: after },
    ];
  });
  let result = "";
  let done = 0;
  for (const { at, insert } of inserts.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    result += text.slice(done, at) + insert;
    done = at;
  }
  return result + text.slice(done);
}

function wrap({ id, kind }: Mutant & { readonly id: number }): [string, string] {
  if (kind === "emit" || kind === "send") {
    return [`(globalThis.mutant === ${id} ? undefined : `, ")"];
  }
  return ["(!!(", `) !== (globalThis.mutant === ${id}))`];
}
