import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./find.ts";

/** Why a mutant may live: found by what it is, not by where it stands, so that edits keep it. */
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

/** The text without its layout, which a formatter may change. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
