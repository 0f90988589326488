import { RpcError } from "../../base/json-rpc.ts";
import { withTimeout } from "../../base/time.ts";
import type { AgentContext, Fact } from "../agent.ts";
import type { UserMessage } from "../message.ts";
import type { ForeignSession, TurnEvent } from "./foreign-session.ts";
import { newCall } from "./open-call.ts";
import type { OpenCall } from "./open-call.ts";
import type { TurnQueue } from "./turn-queue.ts";
import type { TurnSteps } from "./turn-steps.ts";

/** Milliseconds to wait for the agent's answers to steered prompts after the turn has ended. */
const lastWait = 500;

/** Sends steered prompts to the agent during a turn, through the agent's extension (H6). */
export class TurnSteers {
  readonly #options: SteerOptions;
  /** Ids of steered prompts that were sent to the agent or are about to be sent. */
  readonly #known = new Set<string>();
  /** Steered prompts that were sent and have no answer from the agent yet. */
  readonly #sent = new Map<OpenCall, { promptId: string; answer: Promise<boolean> }>();

  constructor(options: SteerOptions) {
    this.#options = options;
  }

  /** Waits for steered prompts and sends each one, until the turn is over. */
  async follow(isOver: () => boolean): Promise<void> {
    const { context, queue } = this.#options;
    try {
      while (!isOver()) {
        const prompt = await context.nextSteer(this.#known);
        if (isOver()) return;
        this.#known.add(prompt.promptId);
        queue.push({ type: "note", handle: () => this.#send(prompt) });
      }
    } catch {
      // The run has ended or belongs to another process: there is nothing to steer.
    }
  }

  /** Records a steered prompt, then sends it. It joins the run when the agent has accepted it (H6). */
  async *#send(prompt: UserMessage): AsyncGenerator<Fact> {
    const { session, steps, queue, steerBlocks, onCall } = this.#options;
    if (steps.isStopping) return;
    const { promptId, text } = prompt;
    const callId = steps.newId();
    const input = { promptId, text };
    yield* steps.answer([{ callId, name: "steer", input, repeatable: false, seen: true }]);
    const call = newCall(callId, { id: callId });
    onCall(call);
    const blocks = await steerBlocks(prompt);
    const answer = session.steer(blocks).catch((error: unknown) => {
      if (error instanceof RpcError) return false;
      throw error;
    });
    this.#sent.set(call, { promptId, answer });
    answer.then(
      (isTaken) =>
        queue.push({ type: "note", handle: () => this.#answered(call, promptId, isTaken) }),
      // Without an answer, the prompt stays in doubt, and `cutOff` records it.
      () => {},
    );
  }

  /**
   * Waits briefly for the agent's answers to prompts that were sent to it during the turn. These answers may arrive
   * just after the end of the turn.
   */
  async *takeLast(): AsyncGenerator<Fact> {
    for (const [call, { promptId, answer }] of this.#sent) {
      const inTime = withTimeout(answer, { milliseconds: lastWait, late: () => null });
      // Without an answer, the prompt stays in doubt, and `cutOff` records it.
      const given = await inTime.catch(() => null);
      if (given !== null) yield* this.#answered(call, promptId, given);
    }
  }

  /** True if the call is a steered prompt that the agent has not confirmed. The agent may have received it anyway. */
  isUnanswered(call: OpenCall): boolean {
    return this.#sent.has(call);
  }

  async *#answered(call: OpenCall, promptId: string, isTaken: boolean): AsyncGenerator<Fact> {
    this.#sent.delete(call);
    if (call.ended) return;
    call.ended = true;
    const { steps } = this.#options;
    const { callId } = call;
    if (!isTaken) {
      const output =
        "The agent did not accept the message in this turn. The message waits for the next turn.";
      yield { type: "toolEnd", callId, status: "failed", output };
      return;
    }
    if (!steps.isStopping) await steps.open([promptId]);
    const output = "The agent accepted the message.";
    yield { type: "toolEnd", callId, status: "completed", output };
  }
}

export interface SteerOptions {
  readonly context: AgentContext;
  readonly session: ForeignSession;
  readonly queue: TurnQueue<TurnEvent>;
  readonly steps: TurnSteps;
  /** Returns the content blocks of a prompt that a user sends to the agent during the turn. */
  readonly steerBlocks: (prompt: UserMessage) => Promise<readonly object[]>;
  /** Called for each recorded steer. */
  readonly onCall: (call: OpenCall) => void;
}
