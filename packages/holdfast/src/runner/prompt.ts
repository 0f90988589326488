import { hash } from "node:crypto";
import type { AttachmentReference, CommandReference, PromptBody } from "../agent/message.ts";
import type { Effort, ReasoningWish } from "../agent/model/reasoning.ts";
import type { AcceptLimits, WorkHandle } from "../kernel/command.ts";
import type { Directories } from "../kernel/directories.ts";
import type { Actor, Delivery } from "../kernel/event.ts";
import type { Budget, OnBudget, ParentLink } from "../kernel/state.ts";
import { makeBody } from "../store/body.ts";
import type { Body, StoreReader, StoreRequest } from "../store/store.ts";
import { CommandRefused } from "./command-refused.ts";
import { readBody } from "../log/bodies.ts";

/** A prompt as its sender submits it. Omitted fields have their default values. */
export interface PromptInput {
  readonly sessionId: string;
  readonly promptId: string;
  readonly text: string;
  /**
   * Attachments to store with the prompt. If the sender repeats a prompt that was already accepted, hashes are enough.
   */
  readonly attachments?: readonly (AttachmentInput | AttachmentReference)[];
  readonly actor: Actor;
  /** Directories that the sender is limited to; omitted: no limit. */
  readonly directories?: Directories;
  readonly delivery?: Delivery;
  /** False: the prompt is only added to the conversation and starts no run (P7). */
  readonly reply?: boolean;
  readonly expectedRunId?: string | null;
  readonly expiresAt?: number | null;
  readonly maxRunTime?: number | null;
  readonly budget?: Budget | null;
  /** Action when the budget is used up. Default: the run fails. */
  readonly onBudget?: OnBudget;
  /** Names of the agent and the model (`provider/model`) that should work on the prompt. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** Mode of a hosted agent. It applies from this prompt on. */
  readonly agentMode?: string | undefined;
  /** Amount of reasoning. Omitted: the setting of the agent, the model or the directory. */
  readonly effort?: Effort | undefined;
  readonly thinking?: boolean | undefined;
  /** A command to send instead of a text. It is expanded to text when the prompt is accepted. */
  readonly command?: CommandReference | undefined;
}

/** The text that a command expands to, and the agent, model and reasoning to use for it. */
export interface ExpandedPrompt {
  readonly text: string;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly effort?: Effort | undefined;
  readonly thinking?: boolean | undefined;
  /** True if Holdfast itself defines the command. */
  readonly builtIn: boolean;
}

/** A file attached to a prompt. It is stored in the same commit as the prompt. */
export interface AttachmentInput {
  readonly name: string | null;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** Builds the request that accepts a prompt: the content to store, its hash (P3) and the limits (P5). */
export function acceptRequest(
  input: PromptInput,
  options: {
    limits: AcceptLimits;
    parent?: ParentLink;
    /** Set if the prompt is a message that an exclusive operation, such as a revert, adds to the session. */
    work?: WorkHandle;
    /** Accounts of the budgets that the prompt is charged to (P6). */
    accounts?: readonly string[];
    redact?: (text: string) => string;
    /** The expanded command. The content hash does not include it. */
    expanded?: ExpandedPrompt | null;
    /** Content hash in the ledger if a prompt with this id was already accepted. */
    known?: string | null;
  },
): StoreRequest {
  const { sessionId, promptId, text, actor } = input;
  const { redact = (given: string) => given } = options;
  const choices = {
    delivery: input.delivery ?? "queue",
    reply: input.reply ?? true,
    expectedRunId: input.expectedRunId ?? null,
    expiresAt: input.expiresAt ?? null,
    maxRunTime: input.maxRunTime ?? null,
    budget: input.budget ?? null,
    // Leave out the default, so that prompts keep the hash that they had before this field existed.
    ...(input.onBudget === "ask" ? { onBudget: input.onBudget } : {}),
  };
  const files = (input.attachments ?? []).map(attach);
  const references = files.map(({ reference }) => reference);
  const { command } = input;
  const named = givenOf(input);
  const kept = options.expanded ?? { ...input, builtIn: false };
  const content = contentOf(redact(kept.text), references, {
    ...givenOf({ ...kept, agentMode: input.agentMode }),
    ...(command === undefined ? {} : { command: keptCommand(command, { ...kept, redact }) }),
  });
  const others = command === undefined ? named : { ...named, command };
  const body = makeBody(JSON.stringify(content));
  return {
    command: {
      type: "prompt.accept",
      sessionId,
      promptId,
      actor,
      contentHash: sentHash({ text, references, others, choices, known: options.known ?? null }),
      body: body.hash,
      bytes: bytesOf(content, body),
      ...choices,
      accounts: options.accounts ?? [],
      parent: options.parent ?? null,
      resultOf: null,
      directories: input.directories ?? null,
      ...(options.work === undefined ? {} : { work: options.work }),
      limits: options.limits,
    },
    bodies: [...files.flatMap((file) => file.body ?? []), body],
  };
}

/**
 * Hashes the prompt as sent, not as stored: the redaction of secrets may change between two attempts, and file names
 * are deleted with their uploads. Version 0.1.0 also hashed the file names.
 */
function sentHash(sent: {
  text: string;
  references: readonly AttachmentReference[];
  others: Omit<PromptBody, "text" | "attachments">;
  choices: object;
  known: string | null;
}): string {
  const { text, references, others, choices, known } = sent;
  const withNames = contentHash({ ...contentOf(text, references, others), ...choices });
  if (references.length === 0 || withNames === known) return withNames;
  const files = references.map((reference) => reference.hash);
  return contentHash({ text, files, ...others, ...choices });
}

/** Builds the request that changes a waiting prompt's text. Keeps its files unless new ones are given. */
export async function editRequest(
  store: StoreReader,
  edit: {
    sessionId: string;
    promptId: string;
    text: string;
    attachments?: readonly AttachmentInput[];
    revision: number;
    maxBytes: number;
    actor: Actor;
    directories?: Directories;
  },
): Promise<StoreRequest> {
  const { sessionId, promptId, revision, maxBytes, actor, directories = null } = edit;
  const files = edit.attachments?.map(attach);
  // Read the prompt before the commit. If someone changes the prompt's attachments after this read, the prompt's
  // revision changes too, and the commit refuses this edit.
  const row = await store.prompt(sessionId, promptId);
  const former = await readBody<PromptBody>(store, row?.body ?? null);
  if (former?.command?.builtIn === true) throw noWords(former.command);
  const references = files?.map(({ reference }) => reference) ?? former?.attachments ?? [];
  const content = contentOf(edit.text, references, givenOf(former ?? {}));
  const body = makeBody(JSON.stringify(content));
  const bytes = bytesOf(content, body);
  const command = { type: "prompt.edit", sessionId, promptId, revision, actor } as const;
  return {
    command: { ...command, body: body.hash, bytes, maxBytes, directories },
    bodies: [...(files ?? []).flatMap((file) => file.body ?? []), body],
  };
}

function noWords({ name }: CommandReference): CommandRefused {
  const message = `/${name} has no text to edit; cancel it and send it again`;
  return new CommandRefused({ code: "invalid", field: "text", message });
}

/** Hashes the content that identifies a request. */
export function contentHash(content: object): string {
  return hash("sha256", JSON.stringify(content));
}

function attach(file: AttachmentInput | AttachmentReference): {
  reference: AttachmentReference;
  body: Body | null;
} {
  if (!("content" in file)) return { reference: file, body: null };
  const { name, mediaType, content } = file;
  const body = makeBody(content);
  return { reference: { hash: body.hash, name, mediaType, bytes: content.byteLength }, body };
}

function contentOf(
  text: string,
  attachments: readonly AttachmentReference[],
  named: Omit<PromptBody, "text" | "attachments"> = {},
): PromptBody {
  return { text, ...(attachments.length === 0 ? {} : { attachments }), ...named };
}

type Named = Pick<PromptBody, "agent" | "model" | "agentMode"> & ReasoningWish;

/** Returns the fields that are not undefined, so that undefined fields are neither stored nor hashed. */
function givenOf({
  agent,
  model,
  agentMode,
  effort,
  thinking,
}: { readonly [Field in keyof Named]?: Named[Field] | undefined }): Named {
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(agentMode === undefined ? {} : { agentMode }),
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}

function keptCommand(
  command: CommandReference,
  { builtIn, redact }: { builtIn: boolean; redact: (text: string) => string },
): CommandReference {
  const words = { name: redact(command.name), arguments: redact(command.arguments) };
  return builtIn ? { ...words, builtIn } : words;
}

function bytesOf({ text, attachments = [] }: PromptBody, body: Body): number {
  // Count empty text as 0 bytes, so that it is refused as empty.
  const own = text === "" && attachments.length === 0 ? 0 : body.content.byteLength;
  return attachments.reduce((sum, { bytes }) => sum + bytes, own);
}
