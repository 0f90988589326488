import { hash } from "node:crypto";
import type { AttachmentReference, CommandReference, PromptBody } from "../agent/message.ts";
import type { AcceptLimits, WorkHandle } from "../kernel/command.ts";
import type { Directories } from "../kernel/directories.ts";
import type { Actor, Delivery } from "../kernel/event.ts";
import type { Budget, OnBudget, ParentLink } from "../kernel/state.ts";
import { makeBody } from "../store/body.ts";
import type { Body, StoreReader, StoreRequest } from "../store/store.ts";
import { CommandRefused } from "./command-refused.ts";
import { readBody } from "../log/bodies.ts";

/** A prompt as its sender gives it; what is left out has the usual meaning. */
export interface PromptInput {
  readonly sessionId: string;
  readonly promptId: string;
  readonly text: string;
  /** By their hashes alone where the prompt was accepted before: its files are with it, or gone with it. */
  readonly attachments?: readonly (AttachmentInput | AttachmentReference)[];
  readonly actor: Actor;
  /** The directories that its sender is limited to; none if left out. */
  readonly directories?: Directories;
  readonly delivery?: Delivery;
  /** False: it only enters the conversation (P7). */
  readonly reply?: boolean;
  readonly expectedRunId?: string | null;
  readonly expiresAt?: number | null;
  readonly maxRunTime?: number | null;
  readonly budget?: Budget | null;
  /** Left out: fail. */
  readonly onBudget?: OnBudget;
  /** Who is to work on it, by name, and with which model, as `provider/model`. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** A command in place of a text: what it stands for is put in when the prompt is accepted. */
  readonly command?: CommandReference | undefined;
}

/** The text of a command, and who works on it where the sender has not said. */
export interface ExpandedPrompt {
  readonly text: string;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  /** The command is the program's own. */
  readonly builtIn: boolean;
}

/** A file that goes with a prompt: it is stored with it, in the same commit. */
export interface AttachmentInput {
  readonly name: string | null;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** The request that accepts a prompt: its bodies, its content hash (P3) and the limits (P5). */
export function acceptRequest(
  input: PromptInput,
  options: {
    limits: AcceptLimits;
    parent?: ParentLink;
    /** A message of exclusive work. */
    work?: WorkHandle;
    /** The budgets above it (P6). */
    accounts?: readonly string[];
    redact?: (text: string) => string;
    /** What the command stands for; it is not what was sent. */
    expanded?: ExpandedPrompt | null;
    /** The ledger's content hash under this id, if the prompt is sent again. */
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
    // Left out where it says nothing: prompts hash as they did before it was known.
    ...(input.onBudget === "ask" ? { onBudget: input.onBudget } : {}),
  };
  const files = (input.attachments ?? []).map(attach);
  const references = files.map(({ reference }) => reference);
  const { agent, model, command } = input;
  const named = givenOf({ agent, model });
  const kept = options.expanded ?? { text, agent, model, builtIn: false };
  const content = contentOf(redact(kept.text), references, {
    ...givenOf(kept),
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
 * The hash of what was sent, not of what is kept: which keys are hidden may change between two sendings, and
 * the names of files are forgotten with their uploads. Version 0.1.0 hashed those names too.
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

/** The request that changes a waiting prompt's words; it keeps its files unless it gets others. */
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
  // Read before the commit: if they change in between, the revision does too, and it is refused.
  const row = await store.prompt(sessionId, promptId);
  const former = await readBody<PromptBody>(store, row?.body ?? null);
  if (former?.command?.builtIn === true) throw noWords(former.command);
  const references = files?.map(({ reference }) => reference) ?? former?.attachments ?? [];
  const { agent, model } = former ?? {};
  const content = contentOf(edit.text, references, givenOf({ agent, model }));
  const body = makeBody(JSON.stringify(content));
  const bytes = bytesOf(content, body);
  const command = { type: "prompt.edit", sessionId, promptId, revision, actor } as const;
  return {
    command: { ...command, body: body.hash, bytes, maxBytes, directories },
    bodies: [...(files ?? []).flatMap((file) => file.body ?? []), body],
  };
}

function noWords({ name }: CommandReference): CommandRefused {
  const message = `/${name} has no words to edit; withdraw it, and send it anew`;
  return new CommandRefused({ code: "invalid", field: "text", message });
}

/** A hash over everything that makes a request this request and not another. */
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

/** What is not given stays out of bodies and hashes. */
function givenOf(named: {
  agent: string | undefined;
  model: string | undefined;
}): Pick<PromptBody, "agent" | "model"> {
  const { agent, model } = named;
  return { ...(agent === undefined ? {} : { agent }), ...(model === undefined ? {} : { model }) };
}

function keptCommand(
  command: CommandReference,
  { builtIn, redact }: { builtIn: boolean; redact: (text: string) => string },
): CommandReference {
  const words = { name: redact(command.name), arguments: redact(command.arguments) };
  return builtIn ? { ...words, builtIn } : words;
}

function bytesOf({ text, attachments = [] }: PromptBody, body: Body): number {
  // An empty text is refused as empty, whatever its body's wrapping weighs.
  const own = text === "" && attachments.length === 0 ? 0 : body.content.byteLength;
  return attachments.reduce((sum, { bytes }) => sum + bytes, own);
}
