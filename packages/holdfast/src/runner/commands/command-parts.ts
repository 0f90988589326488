import type { AcceptLimits } from "../../kernel/command.ts";
import type { Actor } from "../../kernel/event.ts";
import type { Answer, Done } from "../../kernel/transaction.ts";
import type { Store, StoreRequest } from "../../store/store.ts";
import { CommandRefused } from "../command-refused.ts";
import type { LaneHub } from "../lane-hub.ts";

/** What the runtime's commands and views are made of. */
export interface CommandParts {
  readonly store: Store;
  readonly lanes: LaneHub;
  readonly limits: () => AcceptLimits;
  readonly newId: (kind: string) => string;
}

/** On each command: who does it. Left out, it is a program in this process. */
export interface ByActor {
  readonly actor?: Actor;
}

export const nobody: Actor = { kind: "client", id: "local" };

/** Carries a command out; a refusal is thrown as CommandRefused. */
export async function send(store: Store, request: StoreRequest): Promise<Done> {
  const answer: Answer = await store.execute(request);
  if (answer.status === "refused") throw new CommandRefused(answer.refusal);
  return answer;
}
