import type { Outcome } from "../../../src/kernel/state.ts";
import type { Receipt } from "../../../src/kernel/event.ts";

/** Answers that clients received from any node. */
export interface Told {
  readonly accepted: { readonly sessionId: string; readonly promptId: string; acceptSeq: number }[];
  readonly receipts: { readonly sessionId: string; readonly receipt: Receipt }[];
  /** The outcome of a prompt as a node reported it to a client. */
  readonly outcomes: {
    readonly sessionId: string;
    readonly promptId: string;
    readonly status: Outcome["status"];
    readonly reason: string | null;
  }[];
  /** Events that readers received, in order of arrival; one list for each reader. */
  readonly readings: { readonly sessionId: string; readonly seqs: number[] }[];
  /** Ids of calls that must not be repeated. A call that acted twice is in the list twice. */
  readonly acts: string[];
}
