import { createHash } from "node:crypto";
import type { Delivery, Receipt } from "../../../src/kernel/event.ts";
import type { Outcome } from "../../../src/kernel/state.ts";
import { createRandom } from "./random.ts";

// Messages to and from a worker process: JSON, one value per line.

/** The job of one worker process from its start until it is killed. */
export interface Job {
  /** Seed for the choices of this process. */
  readonly seed: number;
  /** The plan, which is the same for all processes. */
  readonly plan: Plan;
  /** Node id, which is new for every process. */
  readonly nodeId: string;
  readonly clients: readonly ClientJob[];
  readonly ttl: number;
}

/** Seed and sizes that determine each prompt. */
export interface Plan {
  readonly seed: number;
  readonly sessions: number;
}

/** A client sends its prompts in order, each again under its id until it is acknowledged. */
export interface ClientJob {
  readonly name: string;
  /** Number of the first prompt without an acknowledgement. */
  readonly next: number;
  readonly count: number;
}

/** An answer that a worker received. The promises apply from then on. */
export type Acknowledgement =
  | {
      readonly kind: "accepted";
      readonly client: string;
      readonly index: number;
      readonly sessionId: string;
      readonly promptId: string;
      readonly acceptSeq: number;
    }
  | { readonly kind: "cancelled"; readonly sessionId: string; readonly receipt: Receipt }
  | {
      readonly kind: "settled";
      readonly sessionId: string;
      readonly promptId: string;
      readonly outcome: Outcome;
    }
  /** Everything is sent and settled. */
  | { readonly kind: "finished" };

export interface PlannedPrompt {
  readonly sessionId: string;
  readonly promptId: string;
  readonly text: string;
  readonly delivery: Delivery;
  readonly cancelAfter: boolean;
}

/** Returns a client's prompt by its number. A retry by another process sends the same prompt. */
export function plannedPrompt(client: string, index: number, plan: Plan): PlannedPrompt {
  const own = createHash("sha256").update(`${plan.seed}/${client}/${index}`).digest();
  const random = createRandom(own.readUInt32LE());
  return {
    sessionId: `session-${random.below(plan.sessions)}`,
    promptId: `${client}-${index}`,
    text: `prompt ${index} of ${client}`,
    delivery: deliveryOf(random.below(100)),
    cancelAfter: random.chance(0.03),
  };
}

function deliveryOf(percent: number): Delivery {
  if (percent < 65) return "queue";
  return percent < 96 ? "steer" : "interrupt";
}
