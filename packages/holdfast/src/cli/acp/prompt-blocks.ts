import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { AttachmentContent, Outcome, Reason } from "@holdfast/sdk";
import type { PromptWords } from "../commands/prompt-content.ts";
import { fieldsOf, rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { StopReason } from "./protocol.ts";

/**
 * Converts the blocks of a prompt to text and attachments: mentioned files become paths, embedded
 * texts are appended.
 */
export function promptWords(prompt: unknown): PromptWords {
  if (!Array.isArray(prompt)) throw invalid("prompt must be a list of blocks");
  const blocks = prompt.map(readBlock);
  const words = blocks.map(({ inline }) => inline).join("");
  const texts = blocks.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const attachments = blocks.flatMap(({ file }) => (file === undefined ? [] : [file]));
  const text = [words, ...texts].join("\n\n").trim();
  if (text === "" && attachments.length === 0)
    throw invalid("the prompt is empty; write a text or attach a file");
  return { text, attachments };
}

interface Block {
  /** Text that the prompt contains in place of the ACP content block. */
  readonly inline: string;
  /** Text that is appended to the prompt. */
  readonly text?: string;
  readonly file?: AttachmentContent;
}

function readBlock(block: unknown): Block {
  const { type, text, uri, name, data, mimeType, resource } = fieldsOf(block);
  switch (type) {
    case "text":
      return { inline: textOf(text, "text") };
    case "resource_link":
      return { inline: `[${typeof name === "string" ? name : ""}](${place(uri)})` };
    case "image":
      return { inline: "", file: fileOf({ data, mimeType, uri }) };
    case "resource":
      return readResource(fieldsOf(resource));
    default:
      throw invalid(`blocks of type ${String(type)} are not supported`);
  }
}

function readResource({ uri, text, blob, mimeType }: Partial<Record<string, unknown>>): Block {
  const path = place(uri);
  const inline = `[${basename(path)}](${path})`;
  if (typeof text !== "string") return { inline, file: fileOf({ data: blob, mimeType, uri }) };
  return { inline, text: `<file path="${path}">\n${text.trimEnd()}\n</file>` };
}

function fileOf(file: { data: unknown; mimeType: unknown; uri: unknown }): AttachmentContent {
  const content = new Uint8Array(Buffer.from(textOf(file.data, "data"), "base64"));
  const mediaType = textOf(file.mimeType, "mimeType");
  const name = typeof file.uri === "string" ? basename(place(file.uri)) : undefined;
  return { content, mediaType, name };
}

/** The path of a local file, with line numbers if given; otherwise the URI. */
function place(uri: unknown): string {
  const address = textOf(uri, "uri");
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== "file:" || url.host !== "") return address;
  return fileURLToPath(url) + url.hash;
}

function textOf(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw invalid(`${field} of a block must be a string`);
}

function invalid(message: string): RpcError {
  return new RpcError({ code: rpcCodes.invalidParams, message });
}

/** Result of a prompt, in the terms of the protocol between editors and agents (ACP). */
interface PromptAnswer {
  readonly stopReason: StopReason;
  /** Text that explains why the prompt ended, if the stop reason alone does not explain it. */
  readonly words: string | null;
}

/**
 * Converts the outcome of a prompt to a stop reason of the Agent Client Protocol (ACP). Throws if ACP has no stop
 * reason for it, as for most failures.
 */
export function answerTo(
  { status, reason }: Pick<Outcome, "status" | "reason">,
  prompt: { promptId: string; text: string | null; isCancelled: boolean },
): PromptAnswer {
  // A prompt that the user has cancelled may have ended before the cancel arrived. The protocol requires `cancelled`.
  if (status === "cancelled" || prompt.isCancelled) return { stopReason: "cancelled", words: null };
  if (status === "completed") return { stopReason: "end_turn", words: null };
  const why = [reason ?? "", prompt.text ?? ""].filter((part) => part !== "").join(": ");
  const stopReason = reason === null ? undefined : stopReasons.get(reason);
  if (stopReason !== undefined) return { stopReason, words: why };
  const message = why === "" ? "the prompt failed" : `the prompt failed: ${why}`;
  const data = { reason, promptId: prompt.promptId };
  throw new RpcError({ code: rpcCodes.internal, message, data });
}

const stopReasons: ReadonlyMap<Reason, StopReason> = new Map([
  ["stepLimit", "max_turn_requests"],
  ["budget", "max_tokens"],
  ["contextTooLong", "max_tokens"],
  ["contentFilter", "refusal"],
]);
