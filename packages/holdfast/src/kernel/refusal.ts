import type { AskRow } from "./ledger.ts";

/** Reason why a command changed nothing. The union is closed, so that callers can handle every case. */
export type Refusal = { readonly message: string } & RefusalDetail;

export type RefusalDetail =
  | { readonly code: "unknownCommand" }
  | { readonly code: "invalid"; readonly field: string }
  | { readonly code: "unknownSession" }
  /** The directory is outside of the actor's directory limit. */
  | { readonly code: "forbidden" }
  | { readonly code: "deleted" }
  | { readonly code: "conflict" }
  | { readonly code: "tombstoned" }
  | { readonly code: "queueFull"; readonly limit: number }
  | { readonly code: "tooLarge"; readonly limit: number }
  | { readonly code: "draining" }
  | { readonly code: "busy" }
  | { readonly code: "held" }
  | { readonly code: "idle" }
  | { readonly code: "runMismatch"; readonly activeRunId: string | null }
  | { readonly code: "fenced" }
  | { readonly code: "stopping" }
  | { readonly code: "outOfOrder" }
  | { readonly code: "stepLimit"; readonly limit: number }
  | { readonly code: "unknownPrompt" }
  | { readonly code: "takenIn"; readonly runId: string }
  | { readonly code: "notWaiting" }
  | { readonly code: "staleRevision"; readonly revision: number }
  | { readonly code: "unknownAsk" }
  | { readonly code: "askClosed"; readonly ask: AskRow }
  | { readonly code: "unknownHold" }
  | { readonly code: "tooManyHolds"; readonly limit: number }
  | { readonly code: "unknownWork" }
  | { readonly code: "cycle" }
  | { readonly code: "treeFull"; readonly limit: number }
  | { readonly code: "owned"; readonly owner: string }
  /** The prompt's run must use the config version of the run that sent the prompt (M7). */
  | { readonly code: "generation"; readonly parentRunId: string };

export type RefusalCode = RefusalDetail["code"];

/** Returned by a decision that refuses a command; the detail has the data that the caller needs. */
export interface Refused {
  readonly status: "refused";
  readonly refusal: Refusal;
}

export function refuse(detail: RefusalDetail, message: string): Refused {
  return { status: "refused", refusal: { ...detail, message } };
}

export function invalid(field: string, message: string): Refused {
  return refuse({ code: "invalid", field }, message);
}
