import type { AgentContext } from "../agent.ts";
import { createFold } from "../fold.ts";
import type { AttachmentReference, Message, UserMessage } from "../message.ts";
import type { ModelFile, ModelInputs } from "../model/model.ts";
import { describeBinary } from "../tools/binary.ts";
import { maxImageBytes } from "../tools/tool.ts";

/** A prompt's words with those of its attachments, and the files that the model is shown besides. */
export interface Told {
  readonly text: string;
  readonly files: readonly ModelFile[];
}

/** What an attachment is, by its content: what a sender calls it is not enough to show it to a model. */
type Attached =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "document"; readonly mediaType: string }
  | { readonly kind: "unknown"; readonly what: string };

/** More than this of a text is worth a look by other means. */
const maxText = 256 * 1024;
const maxBytes = { image: maxImageBytes, document: 20_000_000 } as const;

/** Looks into the files of all messages that have not been looked into yet. */
export async function readAttachments(
  messages: readonly Message[],
  { prompts, attachment }: Pick<AgentContext, "prompts" | "attachment">,
): Promise<void> {
  const own = prompts.flatMap(({ attachments }) => attachments);
  for (const reference of [...filesIn(messages, null), ...own]) {
    if (known.has(reference)) continue;
    known.set(reference, kindOf(await attachment(reference.hash)));
  }
}

const known = new WeakMap<AttachmentReference, Attached>();

const filesIn = createFold<Message, null, AttachmentReference[]>({
  begin: () => [],
  add: (found, message) => {
    if (message.role === "user") found.push(...message.attachments);
    if (message.role === "tool") found.push(...(message.files ?? []));
  },
});

/** A text is told as it is, an image or a document shown; what cannot be is at least spoken of. */
export function tellAttachments(
  { text, attachments }: Pick<UserMessage, "text" | "attachments">,
  accepts: ModelInputs,
): Told {
  const words = [text];
  const files: ModelFile[] = [];
  for (const reference of attachments) {
    const attached = known.get(reference) ?? { kind: "unknown", what: "which has not been read" };
    if (attached.kind === "text") words.push(tellText(reference, attached.text));
    else {
      const why = objection(attached, reference, accepts);
      if (why !== null) words.push(`[${describeFile(reference)} is attached, ${why}.]`);
      else if (attached.kind !== "unknown") {
        const { hash, name, bytes } = reference;
        files.push({ hash, name, bytes, mediaType: attached.mediaType });
      }
    }
  }
  return { text: words.filter((part) => part !== "").join("\n\n"), files };
}

function objection(
  attached: Exclude<Attached, { kind: "text" }>,
  { bytes }: AttachmentReference,
  accepts: ModelInputs,
): string | null {
  switch (attached.kind) {
    case "unknown":
      return attached.what;
    case "image":
      if (!accepts.images) return "but you cannot be shown images: say so if it matters";
      break;
    case "document":
      if (!accepts.documents) return "but you cannot be shown documents: say so if it matters";
  }
  const most = maxBytes[attached.kind];
  return bytes > most ? `but it is too large to be shown to you (over ${most} bytes)` : null;
}

function tellText(reference: AttachmentReference, text: string): string {
  const shown = text.slice(0, maxText).trimEnd();
  const cut = text.length > maxText ? `\n[cut here: ${text.length} characters in all]` : "";
  return `<file name=${quoted(reference)}>\n${shown}${cut}\n</file>`;
}

type Described = Pick<AttachmentReference, "name" | "mediaType" | "bytes">;

export function describeFile(reference: Described): string {
  const { mediaType, bytes } = reference;
  return `The file ${quoted(reference)} (${mediaType}, ${bytes} bytes)`;
}

/** Names come from anywhere: in quotes, on one line. */
function quoted({ name }: Pick<AttachmentReference, "name">): string {
  return JSON.stringify(name ?? "unnamed");
}

function kindOf(content: Uint8Array | null): Attached {
  if (content === null) return { kind: "unknown", what: "but its content is gone" };
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const { kind, text: what, mediaType } = describeBinary(bytes) ?? {};
  if (kind !== undefined && kind !== "other") return { kind, mediaType: mediaType ?? "" };
  if (what !== undefined) return { kind: "unknown", what: `but it is ${what}: it cannot be shown` };
  try {
    if (bytes.includes(0)) throw new Error("a zero byte");
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "unknown", what: "but it is neither text nor an image: it cannot be shown" };
  }
}
