import type { AttachmentReference } from "../../agent/message.ts";
import { mergeWishes } from "../../agent/model/reasoning.ts";
import { tokenAccount } from "../../kernel/cap.ts";
import type { CancelScope } from "../../kernel/command.ts";
import type { Directories } from "../../kernel/directories.ts";
import type { Receipt } from "../../kernel/event.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import type { StoreRequest } from "../../store/store.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import { acceptRequest, editRequest } from "../../runner/prompt.ts";
import type { AttachmentInput, ExpandedPrompt, PromptInput } from "../../runner/prompt.ts";
import { holdsKeyInPieces, keyIn, nobody } from "./command-context.ts";
import type { ByActor, CommandContext, ExpandCommand } from "./command-context.ts";
import type { AgentSetup, SlashCommand } from "../../agent/setup.ts";
import type { WorkspaceHost } from "../../workspace/host.ts";
import { WorkspaceError } from "../../workspace/loader.ts";

export interface PromptTarget {
  readonly sessionId: string;
  readonly promptId: string;
}

export interface PromptCommands {
  /** Accepts a prompt. Resolves when the prompt is durable; its outcome comes later (P1). */
  prompt(input: Omit<PromptInput, "promptId" | "actor"> & PromptIdentity): Promise<LedgerRow>;
  /** Replaces the text of a waiting prompt, if it still has the revision that the editor has seen (C6). */
  editPrompt(input: EditInput): Promise<LedgerRow>;
  /** Moves a prompt before another waiting prompt; null: to the end of the queue. */
  movePrompt(input: PromptTarget & { before: string | null } & ByActor): Promise<LedgerRow>;
  /** Moves a prompt to the front of the queue and stops the active run (L2). */
  promotePrompt(input: PromptTarget & ByActor): Promise<LedgerRow>;
  /** Cancels prompts. Repeating a cancel with the same id returns the same receipt and cancels nothing more (C4). */
  cancel(input: CancelInput): Promise<Receipt>;
}

export interface PromptIdentity extends ByActor {
  /** Id chosen by the sender, so that a repeated request creates only one prompt. */
  readonly promptId?: string;
}

export interface EditInput extends PromptTarget, ByActor {
  readonly text: string;
  /** Directories that the person who edits the prompt is limited to; omitted: no limit. */
  readonly directories?: Directories;
  /** Files that replace the prompt's files; omitted: the files stay. */
  readonly attachments?: readonly AttachmentInput[];
  readonly revision: number;
}

export interface CancelInput extends ByActor {
  readonly sessionId: string;
  readonly cancelId?: string;
  /** Prompts and runs to cancel. Default: everything unsettled in the session. */
  readonly scope?: CancelScope;
}

export function promptCommands(context: CommandContext): PromptCommands {
  const { store, redact } = context;
  const checkFiles = async (files: readonly AttachmentInput[] = []): Promise<void> => {
    for (const { name, mediaType, content } of files) {
      for (const part of [name ?? "", mediaType]) context.expectNoKey("attachments", part);
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      if (await holdsKeyInPieces(redact, bytes)) {
        throw keyIn("attachments", `the attachment ${JSON.stringify(name ?? "unnamed")}`);
      }
    }
  };
  const sent = async (request: StoreRequest): Promise<LedgerRow> => {
    const { prompt } = await context.send(request);
    if (prompt === null)
      throw new Error("the store returned no row for the prompt; please report this bug");
    return prompt;
  };
  return {
    prompt: async (input) => {
      const { promptId = context.newId("prompt"), attachments = [], actor = nobody } = input;
      const row = attachments.length === 0 ? null : await store.prompt(input.sessionId, promptId);
      // Do not check the files of a repeated prompt again: their uploads may be deleted, or contain a secret key that
      // was configured later (P3).
      const isNew = attachments.length > 0 && row === null;
      if (isNew) await checkFiles(attachments.map(withContent));
      const limits = context.limits();
      const expanded = await expandCommand(context, { ...input, promptId });
      const isCharged = actor.kind === "client" && context.caps()?.token !== undefined;
      const accounts = isCharged ? [tokenAccount(actor.id)] : [];
      const options = { limits, redact, expanded, accounts, known: row?.contentHash ?? null };
      return sent(acceptRequest({ ...input, promptId, actor }, options));
    },
    editPrompt: async (input) => {
      const { actor = nobody, text } = input;
      await checkFiles(input.attachments);
      const { maxBytes } = context.limits();
      const edit = { ...input, text: redact(text), actor, maxBytes };
      return sent(await editRequest(store, edit));
    },
    movePrompt: ({ sessionId, promptId, before, actor = nobody }) =>
      sent({ command: { type: "prompt.move", sessionId, promptId, before, actor } }),
    promotePrompt: ({ sessionId, promptId, actor = nobody }) =>
      sent({ command: { type: "prompt.promote", sessionId, promptId, actor } }),
    cancel: async (input) => {
      const { sessionId, scope = everything, actor = nobody } = input;
      const cancelId = input.cancelId ?? context.newId("cancel");
      const command = { type: "cancel", sessionId, cancelId, scope, reason: null, actor } as const;
      const { receipt } = await context.send({ command });
      if (receipt === null)
        throw new Error(
          `the store returned no receipt for cancel ${cancelId}; please report this bug`,
        );
      return receipt;
    },
  };
}

function withContent(file: AttachmentInput | AttachmentReference): AttachmentInput {
  if ("content" in file) return file;
  const message = `attachment ${file.hash} has no content; send it with the prompt`;
  throw new CommandRefused({ code: "invalid", field: "attachments", message });
}

const everything: CancelScope = { kind: "session", upTo: null, tree: false };

/** Milliseconds to wait for the text of a command, which may come from an MCP server. */
const patience = 20_000;

/** Returns a function that expands commands with the current config version of a directory. */
export function commandsOf(host: WorkspaceHost): ExpandCommand {
  return async ({ directory, name, arguments: given, agent: named, sessionAgent }) => {
    try {
      const { current } = await host.load(directory);
      const setup = current?.workspace.setup ?? null;
      const commands = setup?.commands ?? new Map<string, SlashCommand>();
      const command = commands.get(name);
      const offered = offeredCommands(setup, named ?? command?.agent ?? sessionAgent);
      if (offered !== null && (command === undefined || command.builtIn === true)) {
        // A hosted agent expands its own commands. Holdfast learns their names only in the agent's first run. Until
        // then the agent gets every command that Holdfast does not know.
        const isOwn = offered.includes(name);
        if (isOwn || (command === undefined && offered.length === 0)) {
          const text = `/${name} ${given}`.trim();
          return { status: "expanded", text, agent: null, model: null, wish: {}, builtIn: false };
        }
      }
      if (command === undefined) {
        const names = [...commands.keys(), ...(offered ?? [])];
        const known = names.map((each) => `/${each}`).join(", ") || "none";
        return { status: "failed", message: `there is no command /${name} (there are: ${known})` };
      }
      const text = await command.expand(given, AbortSignal.timeout(patience));
      if (text.trim() === "") return { status: "failed", message: `/${name} has no text` };
      const { agent, wish = {}, builtIn = false } = command;
      // A command names one of Holdfast's models, which a hosted agent cannot use.
      const model = offered === null ? command.model : null;
      return { status: "expanded", text, agent, model, wish, builtIn };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const where = error instanceof WorkspaceError ? "" : `/${name}: `;
      return { status: "failed", message: `${where}${message}` };
    }
  };
}

/** Returns the names of the commands that a hosted agent offers; null if Holdfast's own agent answers the prompt. */
function offeredCommands(setup: AgentSetup | null, named: string | null): readonly string[] | null {
  const name = named ?? setup?.defaultProfile ?? "";
  if (setup?.profiles.get(name)?.hosted !== true) return null;
  return (setup.hosted?.get(name)?.choices().commands ?? []).map((command) => command.name);
}

/**
 * Expands the prompt's command. Returns null if the prompt has no command, or was already accepted: then it keeps its
 * earlier text, even if the command has changed (P3).
 */
async function expandCommand(
  context: CommandContext,
  input: Omit<PromptInput, "actor">,
): Promise<ExpandedPrompt | null> {
  const { sessionId, promptId, command, text } = input;
  if (command === undefined) return null;
  if (text !== "") throw refused("a prompt has text or a command, not both");
  const { store } = context;
  const [row, lane] = await Promise.all([store.prompt(sessionId, promptId), store.lane(sessionId)]);
  // Expand nothing if the prompt was already accepted, or if the session does not exist. In the second case, the
  // caller's attempt to store the prompt reports the error.
  if (row !== null || lane === null) return null;
  const { agent } = input;
  const { directory, agent: sessionAgent } = lane;
  const found = await context.expand?.({ ...command, directory, agent, sessionAgent });
  if (found === undefined) throw refused("this server has no commands; send a text");
  if (found.status === "failed") throw refused(found.message);
  const { builtIn } = found;
  if (builtIn && input.reply === false) throw refused(`/${command.name} needs a reply`);
  if (builtIn && (input.attachments ?? []).length > 0) {
    throw refused(`/${command.name} accepts no files`);
  }
  return {
    text: found.text,
    agent: input.agent ?? found.agent ?? undefined,
    model: input.model ?? found.model ?? undefined,
    ...mergeWishes([input, found.wish]),
    builtIn,
  };
}

function refused(message: string): CommandRefused {
  return new CommandRefused({ code: "invalid", field: "command", message });
}
