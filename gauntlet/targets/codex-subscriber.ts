import { setTimeout as delay } from "node:timers/promises";
import type { FollowTarget, ReceivedEvent, Watched } from "../target.ts";
import { openWebSocket } from "./web-socket.ts";
import type { WebSocketLine } from "./web-socket.ts";

// A subscriber of a Codex thread with its own connection.

/**
 * Parameters of the `initialize` request that each Gauntlet client sends to Codex. Codex offers its prompt queue only
 * with the experimental API.
 */
export const introduction = {
  clientInfo: { name: "gauntlet", title: "Gauntlet", version: "1.0.0" },
  capabilities: { experimentalApi: true },
} as const;

/**
 * Follows a thread. Notifications have no ids, but their items are stored: after a reconnect, the subscriber lists
 * the turns and continues with the notifications that are not in the list.
 */
export async function* followThread(
  address: string,
  { sessionId: threadId, after, signal }: FollowTarget,
): AsyncGenerator<ReceivedEvent> {
  const { line, ask, pending } = await joinThread(address, { threadId, signal });
  const seen = new Set<string>();
  try {
    const listed: ReceivedEvent[] = [];
    for (let cursor: string | null = null; ;) {
      const wanted: object = {
        threadId,
        itemsView: "full",
        sortDirection: "asc",
        limit: 50,
        cursor,
      };
      const page = await onceOnDisk<Page>(() => ask("thread/turns/list", wanted), signal);
      listed.push(...page.data.flatMap(toldOfTurn));
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    for (const { id } of listed) seen.add(id);
    const place = listed.findIndex(({ id }) => id === after);
    yield* listed.slice(place + 1);
    for (;;) {
      const message = pending.shift() ?? (await nextOf(line));
      if (message === null) return;
      const told = toldOf(message);
      if (told === null || seen.has(told.id)) continue;
      seen.add(told.id);
      yield told;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    line.close();
  }
}

export async function watchThread(
  address: string,
  options: { threadId: string; signal: AbortSignal },
): Promise<Watched> {
  const { line } = await joinThread(address, options);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("joined");
    yield* line.bytes();
  }
  return { body: ReadableStream.from(bytes()), end: '"method":"turn/completed"' };
}

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly turn?: Turn;
    readonly itemId?: string;
    readonly item?: { readonly id: string; readonly type: string };
  };
  readonly result: never;
  readonly error?: { readonly message: string };
}

interface Turn {
  readonly id: string;
  readonly status: string;
  readonly items: readonly { readonly id: string; readonly type: string }[];
}

interface Page {
  readonly data: readonly Turn[];
  readonly nextCursor: string | null;
}

export async function joinThread(
  address: string,
  { threadId, signal }: { threadId: string; signal: AbortSignal },
): Promise<{
  line: WebSocketLine;
  ask: <T>(method: string, params: object) => Promise<T>;
  pending: Message[];
}> {
  const line = await openWebSocket(address);
  signal.addEventListener("abort", () => line.close(), { once: true });
  /** Notifications that arrived while `ask` waited for a response. */
  const pending: Message[] = [];
  let last = 0;
  const ask = async <T>(method: string, params: object): Promise<T> => {
    last += 1;
    line.send(JSON.stringify({ jsonrpc: "2.0", id: last, method, params }));
    for (;;) {
      const message = await nextOf(line);
      if (message === null) throw new Error("the connection has ended");
      if (message.method !== undefined) pending.push(message);
      else if (message.id === last && message.error === undefined) return message.result;
      else if (message.id === last) throw new Error(message.error?.message);
    }
  };
  await ask("initialize", introduction);
  line.send(JSON.stringify({ jsonrpc: "2.0", method: "initialized", params: {} }));
  const join = (): Promise<void> => ask("thread/resume", { threadId, excludeTurns: true });
  await onceOnDisk(join, signal);
  return { line, ask, pending };
}

/**
 * Retries until the first run is on disk. Only then can a thread be joined and its turns listed.
 */
async function onceOnDisk<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !/no rollout|not supported yet/.test(String(error))) throw error;
      await delay(20);
    }
  }
}

export async function nextOf(line: WebSocketLine): Promise<Message | null> {
  const text = await line.next();
  return text === null ? null : JSON.parse(text);
}

function toldOf({ method, params }: Message): ReceivedEvent | null {
  const { turn, item } = params ?? {};
  if (method === "turn/started" && turn !== undefined) return begun(turn);
  if (method === "turn/completed" && turn !== undefined) return ended(turn);
  if (method === "item/completed" && item !== undefined) return { id: item.id, type: item.type };
  return null;
}

function toldOfTurn(turn: Turn): ReceivedEvent[] {
  const items = turn.items.map(({ id, type }) => ({ id, type }));
  return [begun(turn), ...items, ...(turn.status === "inProgress" ? [] : [ended(turn)])];
}

function begun({ id }: Turn): ReceivedEvent {
  return { id: `${id} begun`, type: "turn/started" };
}

function ended({ id }: Turn): ReceivedEvent {
  return { id: `${id} ended`, type: "turn/completed" };
}
