import type { Mutant } from "./find.ts";

/**
 * The file with all of its mutants built in, each behind a switch: `globalThis.mutant` is the number
 * of the one that is on. So the kernel is copied once, and a mutant costs no more than a process.
 */
export function instrument(
  text: string,
  mutants: readonly (Mutant & { readonly id: number })[],
): string {
  const inserts = mutants.flatMap((mutant) => {
    const [before, after] = wrap(mutant);
    const length = mutant.end - mutant.start;
    // Around one place the longer wraps the shorter: it opens before it and closes after it.
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
