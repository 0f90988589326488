import type { Outcome } from "../../../src/kernel/state.ts";
import type { Receipt } from "../../../src/kernel/event.ts";

/** Answers that clients received from any node. */
export interface Told {
  readonly accepted: { readonly sessionId: string; readonly promptId: string; acceptSeq: number }[];
  readonly receipts: { readonly sessionId: string; readonly receipt: Receipt }[];
  /** A prompt's entry as a node has answered it, once it had an outcome. */
  readonly outcomes: {
    readonly sessionId: string;
    readonly promptId: string;
    readonly status: Outcome["status"];
    readonly reason: string | null;
  }[];
  /** Events that readers received, in order of arrival; one list for each reader. */
  readonly readings: { readonly sessionId: string; readonly seqs: number[] }[];
  /** The ids of calls that may not be repeated, one for each time that one has acted. */
  readonly acts: string[];
}
