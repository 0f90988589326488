import assert from "node:assert/strict";
import type { Refusal } from "../../../src/kernel/refusal.ts";
import { CommandRefused } from "../../../src/runner/command-refused.ts";

/** Returns the refusal of a command. Fails the test if the command succeeds. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CommandRefused, `it is refused, not ${String(error)}`);
  return error.refusal;
}
