import type { EventOf } from "./events.ts";

/** Facts about runs that no event contains. */
export interface RunFacts {
  run(event: EventOf<"run.started" | "run.resumed">): Promise<DescribedRun>;
  answer(event: EventOf<"step.answered">): Promise<DescribedAnswer>;
}

export interface DescribedRun {
  readonly agent: string | null;
  /** `provider/model`, if it is known before the first answer. */
  readonly model: string | null;
}

export interface DescribedAnswer {
  /** `provider/model`. */
  readonly model: string | null;
  /** Reason for the end of the answer, in the terms of the GenAI conventions. */
  readonly finish: string | null;
}
