import type { AgentContext } from "../agent.ts";
import { createFold } from "../fold.ts";
import type { AttachmentReference, Message, UserMessage } from "../message.ts";
import type { ModelFile, ModelInputs } from "../model/model.ts";
import { isFitting, usualImageLimits } from "../images/fit-image.ts";
import { describeBinary } from "../tools/binary.ts";

/** A prompt as it is sent to the model: its text including text attachments, and its other files. */
export interface RenderedText {
  readonly text: string;
  readonly files: readonly ModelFile[];
}

/** The kind of an attachment, detected from its content. The sender's media type is not trusted. */
type Attached =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "document"; readonly mediaType: string }
  /** `isFitting`: the image is small enough for providers or can be scaled down. */
  | { readonly kind: "image"; readonly mediaType: string; readonly isFitting: boolean }
  | { readonly kind: "unknown"; readonly what: string };

/** Maximum number of characters of a text file to include. The model can read the rest with a tool. */
const maxText = 256 * 1024;
/** Maximum size of an image or a document. A server accepts no larger attachments, but an imported session can have some. */
const maxBytes = 20 * 1024 * 1024;

/** Detects the kind of each attachment that has not been read before. */
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

/**
 * Adds text files to the prompt's text, returns images and documents as files, and describes files that the model does
 * not accept.
 */
export function renderAttachments(
  { text, attachments }: Pick<UserMessage, "text" | "attachments">,
  accepts: ModelInputs,
): RenderedText {
  const words = [text];
  const files: ModelFile[] = [];
  for (const reference of attachments) {
    const attached = known.get(reference) ?? { kind: "unknown", what: "but it was not read" };
    if (attached.kind === "text") words.push(renderText(reference, attached.text));
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
      if (!accepts.images) return "but this model cannot see images. Tell the user if it matters";
      if (!attached.isFitting) return "but it is too large to show. Make a smaller copy";
      break;
    case "document":
      if (!accepts.documents)
        return "but this model cannot read documents. Tell the user if it matters";
  }
  return bytes > maxBytes ? `but it is too large to show (over ${maxBytes} bytes)` : null;
}

function renderText(reference: AttachmentReference, text: string): string {
  const shown = text.slice(0, maxText).trimEnd();
  const cut = text.length > maxText ? `\n[cut here: ${text.length} characters in all]` : "";
  return `<file name=${quoted(reference)}>\n${shown}${cut}\n</file>`;
}

type Described = Pick<AttachmentReference, "name" | "mediaType" | "bytes">;

export function describeFile(reference: Described): string {
  const { mediaType, bytes } = reference;
  return `The file ${quoted(reference)} (${mediaType}, ${bytes} bytes)`;
}

/** Quotes the file name on one line, because names come from untrusted senders. */
function quoted({ name }: Pick<AttachmentReference, "name">): string {
  return JSON.stringify(name ?? "unnamed");
}

function kindOf(content: Uint8Array | null): Attached {
  if (content === null) return { kind: "unknown", what: "but its content was deleted" };
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const { kind, text: what, mediaType } = describeBinary(bytes) ?? {};
  if (kind === "document") return { kind, mediaType: mediaType ?? "" };
  if (kind === "image") {
    return { kind, mediaType: mediaType ?? "", isFitting: isFitting(bytes, usualImageLimits) };
  }
  if (what !== undefined) return { kind: "unknown", what: `but it is ${what} and cannot be shown` };
  try {
    if (bytes.includes(0)) throw new Error("the file contains a NUL byte");
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "unknown", what: "but it is neither text nor an image and cannot be shown" };
  }
}
