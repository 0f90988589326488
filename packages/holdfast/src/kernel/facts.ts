import type { Account } from "./account.ts";
import type { Command } from "./command.ts";
import type { Receipt } from "./event.ts";
import type { AskRow, LedgerRow, WorkRow } from "./ledger.ts";
import type { Run } from "./state.ts";
import type { Descendant } from "./walk.ts";

/** What a decision needs beyond the lane's state: the rows of the ids that the command names. */
export interface Facts {
  readonly prompt: LedgerRow | null;
  readonly receipt: Receipt | null;
  readonly ask: AskRow | null;
  readonly work: WorkRow | null;
  /** The lease of the process that owns the lane's active run or work, by the store's clock. */
  readonly owner: OwnerLease;
  /** Where the child session works; null while there is none. */
  readonly childDirectory: string | null;
  /** The sessions that the child's lane waits for, directly or through others. */
  readonly waits: readonly string[];
  /** What lives below the lane, for a command that may stop its run. */
  readonly descendants: readonly Descendant[];
  /** The active run that sent the prompt which a start would begin with; null if it has ended. */
  readonly parent: ParentRun | null;
  /** How many prompts live in the whole tree that a new child would join. */
  readonly treeSize: number;
  /** The accounts that `accountsNeeded` names and that exist. */
  readonly accounts: readonly Account[];
}

export interface ParentRun {
  readonly run: Run;
  /** Of the parent's session. */
  readonly directory: string;
  /** The lease of the process that owns the run. */
  readonly owner: OwnerLease;
  /** The run was cut off and waits for a person. */
  readonly isHeld: boolean;
}

export interface OwnerLease {
  readonly alive: boolean;
  /** When it ended, if it has. */
  readonly lostAt: number | null;
}

/** The ids whose rows the store adds to a command's facts; null where it names none. */
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
  // Whether the child's result is here already, or another's under the same id.
  if (command.type === "child.link") return resultId(command.childPromptId);
  return "promptId" in command ? command.promptId : null;
}

export function resultId(childPromptId: string): string {
  return `result:${childPromptId}`;
}
