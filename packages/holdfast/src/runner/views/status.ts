/** What this process is at. */
export interface RuntimeStatus {
  /** Null while it has no lease. */
  readonly nodeId: string | null;
  readonly draining: boolean;
  readonly running: readonly { readonly sessionId: string; readonly runId: string }[];
  /** Lanes that wait for a place, as far as the store was asked. */
  readonly waiting: number;
}
