import { acceptRequest } from "../../packages/holdfast/src/runner/prompt.ts";
import type { Store, StoreRequest } from "../../packages/holdfast/src/store/store.ts";
import { createSession, newId, send } from "../store/lane-commands.ts";

// Messages for the search benchmark: English words, some with Chinese, some with code.

/** Messages in each session. */
export const perSession = 100;
const common =
  "please fix the failing test in the server and add a check for the config file before the next release".split(
    " ",
  );
const chinese = ["删除会话管理器", "修复失败的测试", "更新索引和搜索", "添加新的配置项"];

function textOf(index: number): string {
  const words = Array.from(
    { length: 20 },
    (_, place) => common[(index * 7 + place * 3) % common.length],
  );
  const some = `${words.join(" ")} rare${index} w${index % 5_000} ${index % 2 === 0 ? "evenword" : "oddword"}`;
  if (index % 5 === 0) return `${some} ${chinese[(index / 5) % chinese.length] ?? ""}`;
  return index % 5 === 1 ? `${some} fs.readFile${index % 100}Sync(MAX_RETRY_COUNT)` : some;
}

/** Returns the request that stores the message with this number. */
export function messageRequest(sessionId: string, index: number): StoreRequest {
  const limits = { maxQueue: 10_000, maxBytes: 1_000_000, draining: false };
  const actor = { kind: "client", id: "bench" } as const;
  const promptId = newId("prompt");
  return acceptRequest(
    { sessionId, promptId, text: textOf(index), actor, reply: false },
    { limits },
  );
}

/** Stores messages through normal commits, all messages of a session at once. */
export async function fillMessages(store: Store, count: number): Promise<void> {
  for (let first = 0; first < count; first += perSession) {
    const sessionId = await createSession(store, `found-${first / perSession}`);
    const requests = Array.from({ length: Math.min(perSession, count - first) }, (_, place) =>
      messageRequest(sessionId, first + place),
    );
    await Promise.all(requests.map((request) => send(store, request)));
  }
}
