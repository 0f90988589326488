import type { EventOf } from "../../kernel/event.ts";

/** Reads facts about runs that events do not contain. */
export interface RunFacts {
  run(event: EventOf<"run.started" | "run.resumed">): Promise<DescribedRun>;
  answer(event: EventOf<"step.answered">): Promise<DescribedAnswer>;
}

export interface DescribedRun {
  readonly agent: string | null;
  /** The model as `provider/model`; null if it is not known before the first answer. */
  readonly model: string | null;
}

export interface DescribedAnswer {
  /** The model as `provider/model`. */
  readonly model: string | null;
  /** Reason why the answer ended, in the terms of the GenAI conventions. */
  readonly finish: string | null;
}
