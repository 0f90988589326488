import { createKeyedMutex } from "../../base/serial.ts";
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
 * Commits requests. Large bodies are written in parts before their request is committed; later requests
 * of the same session wait for it, in the order of the calls.
 */
export function createLargeCommits(options: {
  parts: Parts;
  commit: (request: StoreRequest) => Promise<Answer>;
}): LargeCommits {
  const { parts, commit } = options;
  const bySession = createKeyedMutex();
  const commitLarge = (request: StoreRequest): Promise<Answer> =>
    parts.with(request.bodies ?? [], (bodies) => commit({ ...request, bodies }));
  const execute = (request: StoreRequest): Promise<Answer> => {
    const { sessionId } = request.command;
    const mustWait = bySession.isBusy(sessionId) || areLarge(request.bodies ?? []);
    return mustWait ? bySession.run(sessionId, () => commitLarge(request)) : commit(request);
  };
  return { execute, idle: () => bySession.idle() };
}
