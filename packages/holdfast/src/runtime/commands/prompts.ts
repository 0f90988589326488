import type { AttachmentReference } from "../../agent/message.ts";
import { tokenAccount } from "../../kernel/cap.ts";
import type { CancelScope } from "../../kernel/command.ts";
import type { Directories } from "../../kernel/directories.ts";
import type { Receipt } from "../../kernel/event.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import type { StoreRequest } from "../../store/store.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import { acceptRequest, editRequest } from "../../runner/prompt.ts";
import type { AttachmentInput, PromptInput } from "../../runner/prompt.ts";
import { holdsKeyInPieces, keyIn, nobody } from "./command-parts.ts";
import type { ByActor, CommandParts } from "./command-parts.ts";
import { expandCommand } from "./expand-command.ts";

export interface PromptTarget {
  readonly sessionId: string;
  readonly promptId: string;
}

export interface PromptCommands {
  /** Answers when the prompt is durable; its outcome comes later (P1). */
  prompt(input: Omit<PromptInput, "promptId" | "actor"> & PromptIdentity): Promise<LedgerRow>;
  /** New words for a prompt that waits, at the revision that the editor has seen (C6). */
  editPrompt(input: EditInput): Promise<LedgerRow>;
  /** `before` names a waiting prompt; null the end of the queue. */
  movePrompt(input: PromptTarget & { before: string | null } & ByActor): Promise<LedgerRow>;
  /** First in the queue, and the active run is stopped (L2). */
  promotePrompt(input: PromptTarget & ByActor): Promise<LedgerRow>;
  /** The same id answers the same receipt and covers nothing more (C4). */
  cancel(input: CancelInput): Promise<Receipt>;
}

export interface PromptIdentity extends ByActor {
  /** Chosen by the sender, so that sending it twice is sending it once. */
  readonly promptId?: string;
}

export interface EditInput extends PromptTarget, ByActor {
  readonly text: string;
  /** The directories that the editor is limited to; none if left out. */
  readonly directories?: Directories;
  /** As they were if left out. */
  readonly attachments?: readonly AttachmentInput[];
  readonly revision: number;
}

export interface CancelInput extends ByActor {
  readonly sessionId: string;
  readonly cancelId?: string;
  /** Everything unsettled in the session if left out. */
  readonly scope?: CancelScope;
}

export function promptCommands(parts: CommandParts): PromptCommands {
  const { store, redact } = parts;
  const checkFiles = async (files: readonly AttachmentInput[] = []): Promise<void> => {
    for (const { name, mediaType, content } of files) {
      for (const part of [name ?? "", mediaType]) parts.expectNoKey("attachments", part);
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      if (await holdsKeyInPieces(redact, bytes)) throw keyIn("attachments");
    }
  };
  const sent = async (request: StoreRequest): Promise<LedgerRow> => {
    const { prompt } = await parts.send(request);
    if (prompt === null) throw new Error("a prompt's command was answered without its entry");
    return prompt;
  };
  return {
    prompt: async (input) => {
      const { promptId = parts.newId("prompt"), attachments = [], actor = nobody } = input;
      const row = attachments.length === 0 ? null : await store.prompt(input.sessionId, promptId);
      // Sent again, the prompt keeps its files, whatever has become of them or is a key by now (P3).
      const isNew = attachments.length > 0 && row === null;
      if (isNew) await checkFiles(attachments.map(withContent));
      const limits = parts.limits();
      const expanded = await expandCommand(parts, { ...input, promptId });
      const isCharged = actor.kind === "client" && parts.caps()?.token !== undefined;
      const accounts = isCharged ? [tokenAccount(actor.id)] : [];
      const options = { limits, redact, expanded, accounts, known: row?.contentHash ?? null };
      return sent(acceptRequest({ ...input, promptId, actor }, options));
    },
    editPrompt: async (input) => {
      const { actor = nobody, text } = input;
      await checkFiles(input.attachments);
      const { maxBytes } = parts.limits();
      const edit = { ...input, text: redact(text), actor, maxBytes };
      return sent(await editRequest(store, edit));
    },
    movePrompt: ({ sessionId, promptId, before, actor = nobody }) =>
      sent({ command: { type: "prompt.move", sessionId, promptId, before, actor } }),
    promotePrompt: ({ sessionId, promptId, actor = nobody }) =>
      sent({ command: { type: "prompt.promote", sessionId, promptId, actor } }),
    cancel: async (input) => {
      const { sessionId, scope = everything, actor = nobody } = input;
      const cancelId = input.cancelId ?? parts.newId("cancel");
      const command = { type: "cancel", sessionId, cancelId, scope, reason: null, actor } as const;
      const { receipt } = await parts.send({ command });
      if (receipt === null) throw new Error(`cancel ${cancelId} was answered without a receipt`);
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
