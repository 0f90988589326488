import type { Answer } from "../../kernel/transaction.ts";
import type { StoreRequest } from "../store.ts";
import { areLarge } from "./parts.ts";
import type { Parts } from "./parts.ts";

export interface LargeCommits {
  execute(request: StoreRequest): Promise<Answer>;
  /** Resolves when nothing waits to be committed. */
  idle(): Promise<void>;
}

/**
 * Commits requests, those with large bodies once these are written in parts. What comes for the same
 * session meanwhile is committed after it, in the order in which it came.
 */
export function createLargeCommits(options: {
  parts: Parts;
  commit: (request: StoreRequest) => Promise<Answer>;
}): LargeCommits {
  const { parts, commit } = options;
  const tails = new Map<string, Promise<unknown>>();
  const commitLarge = (request: StoreRequest): Promise<Answer> =>
    parts.with(request.bodies ?? [], (bodies) => commit({ ...request, bodies }));
  const execute = (request: StoreRequest): Promise<Answer> => {
    const { sessionId } = request.command;
    const before = tails.get(sessionId);
    if (before === undefined && !areLarge(request.bodies ?? [])) return commit(request);
    const answer = (before ?? Promise.resolve()).then(() => commitLarge(request));
    const tail: Promise<unknown> = answer
      .catch(() => {})
      .finally(() => {
        if (tails.get(sessionId) === tail) tails.delete(sessionId);
      });
    tails.set(sessionId, tail);
    return answer;
  };
  return {
    execute,
    idle: async () => {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}
