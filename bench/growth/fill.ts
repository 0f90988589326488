import type { Store } from "../../packages/holdfast/src/store/store.ts";
import { createSession, promptRequest, send } from "../store/lane-commands.ts";

// All data is written through the store's normal commits. Many commands are sent concurrently, so that the store
// batches them.

const together = 512;

/** Ids of a stored prompt. */
export interface Known {
  readonly sessionId: string;
  readonly promptId: string;
}

/** Creates idle sessions with one message each. Returns their prompts. */
export async function fillSessions(store: Store, count: number): Promise<readonly Known[]> {
  return inParts(count, (index) => addSession(store, `session-${index}`));
}

/** Adds messages to one session until its log has the given number of events. */
export async function fillLog(
  store: Store,
  target: { sessionId: string; events: number },
): Promise<readonly Known[]> {
  const { sessionId, events } = target;
  const first = await addMessage(store, sessionId);
  const seq = (await store.lane(sessionId))?.seq ?? 0;
  const perMessage = seq - 1;
  const missing = Math.max(0, Math.ceil((events - seq) / perMessage));
  return [first, ...(await inParts(missing, () => addMessage(store, sessionId)))];
}

async function addSession(store: Store, sessionId: string): Promise<Known> {
  await createSession(store, sessionId);
  return addMessage(store, sessionId);
}

/** Adds a prompt that needs no reply. One transaction accepts and completes such a prompt, without a run. */
async function addMessage(store: Store, sessionId: string): Promise<Known> {
  const request = promptRequest(sessionId, { reply: false });
  await send(store, request);
  const { command } = request;
  if (command.type !== "prompt.accept")
    throw new Error(`expected a prompt.accept command, got ${command.type}`);
  return { sessionId, promptId: command.promptId };
}

async function inParts<Made>(
  count: number,
  make: (index: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  while (made.length < count) {
    const from = made.length;
    const size = Math.min(together, count - from);
    made.push(...(await Promise.all(Array.from({ length: size }, (_, at) => make(from + at)))));
  }
  return made;
}
