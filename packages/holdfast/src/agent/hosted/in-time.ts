import { withTimeout } from "../../base/time.ts";
import type { Clock } from "../../base/time.ts";
import { AgentGone } from "./agent-process.ts";

/** Milliseconds that an agent has to answer a request that is not a prompt. */
const handshakeTimeout = 60_000;

/** Waits for the agent's answer. Throws `AgentGone` if the answer is late, or the signal's reason if it aborts. */
export function inTime<Value>(
  work: Promise<Value>,
  options: {
    /** Name of the request, for the error message. */
    readonly what: string;
    readonly clock: Clock;
    readonly milliseconds?: number;
    readonly signal?: AbortSignal;
  },
): Promise<Value> {
  const { what, clock, milliseconds = handshakeTimeout, signal } = options;
  const late = (): never => {
    throw new AgentGone(`the agent did not answer ${what} within ${milliseconds / 1_000} s`);
  };
  return withTimeout(work, { milliseconds, late, clock, signal });
}
