import { setTimeout as delay } from "node:timers/promises";
import type { Receipt } from "../../../src/kernel/event.ts";
import type { Random } from "../../store/chaos/random.ts";
import type { CallName, Operation, Plan } from "./job.ts";
import type { Reply } from "./worker-process.ts";

/** Acknowledged requests. The promises apply to each from its acknowledgement on. */
export interface Acknowledged {
  readonly prompts: { readonly sessionId: string; readonly promptId: string }[];
  readonly receipts: { readonly sessionId: string; readonly receipt: Receipt }[];
  refusals: number;
}

export interface Load {
  readonly acknowledged: Acknowledged;
  /** Sends nothing more; resolves when the last one is answered. */
  stop(): Promise<void>;
}

/** Sends prompts and cancels until it is stopped, each again under its id until it is answered. */
export function startLoad(options: {
  random: Random;
  sessions: number;
  /** Milliseconds between two operations, on average. */
  pause: number;
  deliver: (operation: Operation) => Promise<Reply>;
}): Load {
  const { random, deliver, pause } = options;
  const acknowledged: Acknowledged = { prompts: [], receipts: [], refusals: 0 };
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    for (let index = 0; !stopping.signal.aborted; index += 1) {
      const sessionId = `session-${random.below(options.sessions)}`;
      const operation = chooseOperation(random, { sessionId, index });
      const reply = await deliver(operation);
      if (reply.status === "refused") acknowledged.refusals += 1;
      else if (operation.kind === "prompt") {
        acknowledged.prompts.push({ sessionId, promptId: operation.promptId });
      } else if (reply.receipt !== null) {
        acknowledged.receipts.push({ sessionId, receipt: reply.receipt });
      }
      await delay(random.below(2 * pause));
    }
  };
  const working = work();
  // Handle a rejection here: the caller that stops the load gets the error.
  working.catch(() => {});
  return {
    acknowledged,
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
}

function chooseOperation(random: Random, place: { sessionId: string; index: number }): Operation {
  const { sessionId, index } = place;
  const percent = random.below(100);
  const promptId = `prompt-${index}`;
  if (percent < 4) {
    const earlier = `prompt-${random.below(Math.max(1, index))}`;
    const cancelled = percent < 1 ? null : earlier;
    return { kind: "cancel", sessionId, cancelId: `cancel-${index}`, promptId: cancelled };
  }
  const text = JSON.stringify(choosePlan(random));
  if (percent < 25) return { kind: "prompt", sessionId, promptId, text, delivery: "steer" };
  const delivery = percent < 26 ? "interrupt" : "queue";
  return { kind: "prompt", sessionId, promptId, text, delivery };
}

function choosePlan(random: Random): Plan {
  const calls: CallName[] = [];
  if (random.chance(0.7)) calls.push("write");
  if (random.chance(0.4)) calls.push("read");
  if (random.chance(0.15)) calls.push("child");
  if (random.chance(0.08)) calls.push("background");
  return { steps: 1 + random.below(3), calls };
}
