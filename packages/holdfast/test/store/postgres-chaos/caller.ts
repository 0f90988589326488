import type { Answer } from "../../../src/kernel/transaction.ts";
import type { CommandInput, Store, StoreRequest } from "../../../src/store/store.ts";
import { appendTold } from "./told.ts";

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type CallerCommand = DistributiveOmit<CommandInput, "actor">;

export interface Caller {
  /** One call, noted before it is made and when it is answered. Null when the store failed. */
  call(command: CallerCommand, bodies?: StoreRequest["bodies"]): Promise<Answer | null>;
  /** Calls again, under the same ids, until there is an answer. */
  insist(command: CallerCommand, bodies?: StoreRequest["bodies"]): Promise<Answer>;
}

export function makeCaller(options: { store: Store; file: string; name: string }): Caller {
  const { store, file, name } = options;
  let calls = 0;
  const call: Caller["call"] = async (data, bodies = []) => {
    calls += 1;
    const actor = `${name}#${calls}`;
    const command: CommandInput = { ...data, actor: { kind: "client", id: actor } };
    appendTold(file, { kind: "sent", actor, command });
    try {
      const answer = await store.execute({ command, bodies });
      if (answer.status === "refused") {
        appendTold(file, { kind: "refused", actor, code: answer.refusal.code });
      } else {
        const { events, receipt, prompt } = answer;
        const acceptSeq = prompt?.acceptSeq ?? null;
        appendTold(file, { kind: "done", actor, events, receipt, acceptSeq });
      }
      return answer;
    } catch (error) {
      appendTold(file, { kind: "failed", actor, error: String(error) });
      return null;
    }
  };
  return {
    call,
    async insist(command, bodies) {
      for (;;) {
        const answer = await call(command, bodies);
        if (answer !== null) return answer;
      }
    },
  };
}
