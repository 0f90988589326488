import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { LaneEvent, Receipt } from "../../../src/kernel/event.ts";
import type { CommandInput } from "../../../src/store/store.ts";

// Answers that a caller received, kept outside of the store so that the two can be compared. Every call has its own
// actor, and events contain the actor of the command that made them.

export type Told =
  | { readonly kind: "sent"; readonly actor: string; readonly command: CommandInput }
  | {
      readonly kind: "done";
      readonly actor: string;
      readonly events: readonly LaneEvent[];
      readonly receipt: Receipt | null;
      readonly acceptSeq: number | null;
    }
  | { readonly kind: "refused"; readonly actor: string; readonly code: string }
  /** The call threw, so it is unknown whether it was executed. */
  | { readonly kind: "failed"; readonly actor: string; readonly error: string };

/** Writes at once, so that answers to a killed process are kept. */
export function appendTold(file: string, told: Told): void {
  appendFileSync(file, `${JSON.stringify(told)}\n`);
}

/** Ignores an incomplete last line, which a killed process leaves. */
export function readTold(file: string): Told[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- appendTold wrote it
        return [JSON.parse(line) as Told];
      } catch {
        return [];
      }
    });
}
