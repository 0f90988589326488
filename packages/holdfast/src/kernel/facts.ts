import type { Account } from "./account.ts";
import type { Command } from "./command.ts";
import type { Receipt } from "./event.ts";
import type { AskRow, LedgerRow, WorkRow } from "./ledger.ts";
import type { Run } from "./state.ts";
import type { Descendant } from "./walk.ts";

/** Data that a decision needs besides the lane's state, such as the rows for the ids in the command. */
export interface Facts {
  readonly prompt: LedgerRow | null;
  readonly receipt: Receipt | null;
  readonly ask: AskRow | null;
  readonly work: WorkRow | null;
  /** Lease of the process that owns the lane's active run or exclusive operation, by the store's clock. */
  readonly owner: OwnerLease;
  /** Directory of the child session; null if the session does not exist. */
  readonly childDirectory: string | null;
  /** Sessions that the child's run waits for, directly or indirectly. */
  readonly waits: readonly string[];
  /** Unfinished child prompts of the session, at all levels. Empty if the command being decided cannot stop a run. */
  readonly descendants: readonly Descendant[];
  /** The active run that sent the lane's next prompt; null if no run did or that run has ended. */
  readonly parent: ParentRun | null;
  /** Number of live prompts in the tree that a new child would join. */
  readonly treeSize: number;
  /** The existing accounts among those that `accountsNeeded` lists. */
  readonly accounts: readonly Account[];
}

export interface ParentRun {
  readonly run: Run;
  /** Directory of the session in which the parent run works. */
  readonly directory: string;
  /** Lease of the process that owns the run. */
  readonly owner: OwnerLease;
  /** True if the run was interrupted and waits for a person. */
  readonly isHeld: boolean;
}

export interface OwnerLease {
  readonly alive: boolean;
  /** Time at which the lease ended; null if it has not ended. */
  readonly lostAt: number | null;
}

/** Ids that occur in a command. The store must read the row of each id. Null: the command has no id of this kind. */
export interface Named {
  readonly promptId: string | null;
  readonly cancelId: string | null;
  readonly askId: string | null;
  readonly workId: string | null;
}

export function namedBy(command: Command): Named {
  return {
    promptId: namedPrompt(command),
    cancelId: command.type === "cancel" ? command.cancelId : null,
    askId: command.type === "ask.open" || command.type === "ask.answer" ? command.askId : null,
    workId: "workId" in command ? command.workId : null,
  };
}

function namedPrompt(command: Command): string | null {
  if (command.type === "cancel") {
    return command.scope.kind === "prompt" ? command.scope.promptId : null;
  }
  // Load this id to find out whether the child's result has arrived, or another prompt uses the id.
  if (command.type === "child.link") return resultId(command.childPromptId);
  return "promptId" in command ? command.promptId : null;
}

export function resultId(childPromptId: string): string {
  return `result:${childPromptId}`;
}
