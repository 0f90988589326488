import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./find.ts";

/**
 * The reason why a mutant may survive. The mutant is found by its text, not by its line, so that edits elsewhere do not
 * matter.
 */
export interface Accepted {
  readonly file: string;
  readonly within: string;
  readonly kind: Mutant["kind"];
  readonly text: string;
  readonly reason: string;
}

const path = join(import.meta.dirname, "accepted.json");

export function readAccepted(): Accepted[] {
  const entries: Accepted[] = JSON.parse(readFileSync(path, "utf8"));
  return entries;
}

export function reasonFor(accepted: readonly Accepted[], mutant: Mutant): string | null {
  const entry = accepted.find(
    ({ file, within, kind, text }) =>
      file === mutant.file &&
      within === mutant.within &&
      kind === mutant.kind &&
      flat(text) === flat(mutant.text),
  );
  return entry?.reason ?? null;
}

/** The text with normalized whitespace, so that formatting does not matter. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
