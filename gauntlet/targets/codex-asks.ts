import { joinThread, nextOf } from "./codex-subscriber.ts";
import type { Message } from "./codex-subscriber.ts";
import { waitUntil } from "./wait-until.ts";
import type { WebSocketLine } from "./web-socket.ts";

/**
 * Permission requests of Codex. Codex sends each request to every client of a thread. The test has two clients in each
 * thread, so both can answer the same request.
 */
export interface CodexAsks {
  /** Called when Codex asks the first of our two test clients for permission. Resolves with the answer for Codex. */
  readonly asked: (method: string, params: AskedFor) => Promise<object>;
  /**
   * Returns the ids of the thread's open permission requests. Waits until Codex has sent them to both of our test
   * clients.
   */
  readonly openIn: (threadId: string) => Promise<string[]>;
  /** The first answer is sent by the first client, the next one by the second. */
  readonly answer: (answer: Answer) => Promise<void>;
  /** Forgets all permission requests. Called after a restart of Codex: the requests ended with the old process. */
  readonly forget: () => void;
}

export interface AskedFor {
  readonly threadId: string;
  readonly itemId?: string;
}

interface Answer {
  readonly sessionId: string;
  readonly askId: string;
  readonly verdict: "allow" | "deny";
}

interface Second {
  readonly line: WebSocketLine;
  /** For each item id, the id of the JSON-RPC request that asks for approval of the item. */
  readonly numbers: Map<string, number>;
}

export function createCodexAsks(address: () => string): CodexAsks {
  const open = new Map<string, { threadId: string; say: (said: object) => void }>();
  const seconds = new Map<string, Promise<Second>>();
  const secondOf = (threadId: string): Promise<Second> => {
    const known = seconds.get(threadId) ?? joinAsSecond(address(), threadId);
    seconds.set(threadId, known);
    return known;
  };
  return {
    asked: (method, { threadId, itemId = "" }) => {
      if (!method.endsWith("/requestApproval")) {
        throw new Error(`no client can answer ${method}`);
      }
      return new Promise((resolve) => {
        open.set(itemId, { threadId, say: resolve });
      });
    },
    openIn: async (threadId) => {
      const ids = [...open].filter(([, ask]) => ask.threadId === threadId).map(([id]) => id);
      if (ids.length === 0) return [];
      const { numbers } = await secondOf(threadId);
      await waitUntil("the permission requests on the second connection", () =>
        ids.every((id) => numbers.has(id)),
      );
      return ids;
    },
    answer: async ({ sessionId, askId, verdict }) => {
      const said = { decision: verdict === "allow" ? "accept" : "decline" };
      const first = open.get(askId);
      open.delete(askId);
      if (first !== undefined) return first.say(said);
      const { line, numbers } = await secondOf(sessionId);
      line.send(JSON.stringify({ jsonrpc: "2.0", id: numbers.get(askId), result: said }));
    },
    forget: () => {
      open.clear();
      seconds.clear();
    },
  };
}

async function joinAsSecond(address: string, threadId: string): Promise<Second> {
  const { signal } = new AbortController();
  const { line, pending } = await joinThread(address, { threadId, signal });
  const numbers = new Map<string, number>();
  const take = ({ id, params }: Message): void => {
    const itemId = params?.itemId;
    if (id !== undefined && itemId !== undefined) numbers.set(itemId, id);
  };
  for (const message of pending) take(message);
  const read = async (): Promise<void> => {
    for (let message = await nextOf(line); message !== null; message = await nextOf(line)) {
      take(message);
    }
  };
  void read();
  return { line, numbers };
}
