/** What has arrived so far of the step that is being made: gone when its answer is committed. */
export interface InFlight {
  readonly sessionId: string;
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly callId: string; readonly text: string }[];
}
