import type { Delivery } from "../../../src/kernel/event.ts";
import { makeBody } from "../../../src/store/body.ts";
import type { Caller, CallerCommand } from "./caller.ts";
import { readTold } from "./told.ts";

export interface ClientOptions {
  readonly caller: Caller;
  readonly random: () => number;
  readonly name: string;
  readonly sessions: readonly string[];
  readonly prompts: number;
  /** Answers that callers of this process and its predecessors received. */
  readonly file: string;
}

/** Creates the sessions, then sends prompts and cancels, each until it is answered. */
export async function runClient(options: ClientOptions): Promise<void> {
  const { caller, random, name, sessions } = options;
  for (const sessionId of sessions) await caller.insist(creation(sessionId));
  const before = earlierCalls(options);
  for (const command of before.unanswered) await caller.insist(command, bodiesOf(command));

  for (let count = before.sent; count < options.prompts; count += 1) {
    const sessionId = pick(sessions, random);
    const chance = random();
    const delivery = chance < 0.65 ? "queue" : chance < 0.93 ? "steer" : "interrupt";
    const reply = random() < 0.95;
    const accept = acceptance(sessionId, { promptId: `${name}-${count}`, delivery, reply });
    await caller.insist(accept, bodiesOf(accept));
    // A client without an answer repeats its request, and must get the same answer.
    if (random() < 0.1) await caller.insist(accept, bodiesOf(accept));
    if (random() < 0.08) {
      const cancel = cancellation(sessionId, { cancelId: `${name}-cancel-${count}`, random });
      await caller.insist(cancel);
      if (random() < 0.5) await caller.insist(cancel);
    }
  }
}

/** After a kill, the next process repeats the requests without an answer. */
function earlierCalls(options: ClientOptions): { sent: number; unanswered: CallerCommand[] } {
  const open = new Map<string, CallerCommand>();
  const ids = new Set<string>();
  for (const told of readTold(options.file)) {
    if (told.kind !== "sent") {
      open.delete(told.actor);
      continue;
    }
    const { actor, command } = told;
    if (command.type !== "prompt.accept" && command.type !== "cancel") continue;
    const id = command.type === "cancel" ? command.cancelId : command.promptId;
    if (!id.startsWith(`${options.name}-`)) continue;
    open.set(actor, command);
    if (command.type === "prompt.accept") ids.add(id);
  }
  return { sent: ids.size, unanswered: [...open.values()] };
}

function creation(sessionId: string): CallerCommand {
  const directory = `/code/${sessionId}`;
  const contentHash = "session";
  const nothing = { parent: null, budget: null, origin: null };
  return { type: "session.create", sessionId, contentHash, directory, ...nothing };
}

export function acceptance(
  sessionId: string,
  prompt: { promptId: string; delivery: Delivery; reply?: boolean },
): CallerCommand & { type: "prompt.accept" } {
  const { promptId, delivery, reply = true } = prompt;
  const body = makeBody(promptId);
  return {
    type: "prompt.accept",
    sessionId,
    promptId,
    contentHash: body.hash,
    body: body.hash,
    bytes: body.content.length,
    delivery,
    reply,
    expectedRunId: null,
    expiresAt: null,
    maxRunTime: null,
    budget: null,
    parent: null,
    resultOf: null,
    limits: { maxQueue: 1_000, maxBytes: 1_000, draining: false },
  };
}

export function bodiesOf(command: CallerCommand): ReturnType<typeof makeBody>[] {
  return command.type === "prompt.accept" ? [makeBody(command.promptId)] : [];
}

function cancellation(
  sessionId: string,
  cancel: { cancelId: string; random: () => number },
): CallerCommand {
  const scope =
    cancel.random() < 0.7
      ? ({ kind: "session", upTo: null, tree: false } as const)
      : ({ kind: "queue" } as const);
  return { type: "cancel", sessionId, cancelId: cancel.cancelId, scope, reason: null };
}

function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}
