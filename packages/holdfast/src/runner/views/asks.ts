import type { AskRow } from "../../kernel/ledger.ts";

export interface AskViews {
  /** Of one session, or the open ones of all sessions. */
  asks(query: AskQuery): Promise<readonly AskView[]>;
}

export type AskQuery =
  | { readonly sessionId: string; readonly open?: boolean }
  | { readonly sessionId: null };

export interface AskView extends AskRow {
  readonly question: string;
  /** What the agent said of it: a permission, choices. */
  readonly extra: unknown;
  /** The words of the answer, if it had any. */
  readonly answer: string | null;
}
