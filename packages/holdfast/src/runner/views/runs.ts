import type { AnsweredCall, ToolStatus } from "../../kernel/event.ts";
import type { Outcome, Usage } from "../../kernel/state.ts";

export interface RunViews {
  /** A session's runs in order of their start. */
  runs(query: { sessionId: string; after?: number | null; limit?: number }): Promise<RunView[]>;
  run(target: RunTarget): Promise<RunView | null>;
  steps(target: RunTarget): Promise<StepView[]>;
}

export interface RunTarget {
  readonly sessionId: string;
  readonly runId: string;
}

export interface RunView {
  readonly sessionId: string;
  readonly runId: string;
  /** Where it began in the log: what a page of runs begins after. */
  readonly seq: number;
  readonly status: "running" | "stopping" | "closing" | "ended";
  /** The prompt that started it first, then those that it took in. */
  readonly promptIds: readonly string[];
  readonly attempt: number;
  readonly owner: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly steps: number;
  readonly usage: Usage;
  readonly outcome: Outcome | null;
}

export interface StepView {
  readonly step: number;
  readonly attempt: number;
  readonly openedAt: number;
  /** Null until the model has answered. */
  readonly answeredAt: number | null;
  readonly interrupted: boolean;
  readonly usage: Usage;
  readonly calls: readonly CallView[];
}

export interface CallView extends AnsweredCall {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly status: ToolStatus | null;
}
