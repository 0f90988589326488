import { readJson } from "./transport.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Attachment } from "./types.gen.ts";

/** Content of an attachment. */
export interface AttachmentContent {
  readonly content: string | Blob | Uint8Array<ArrayBuffer>;
  /** Media type. Default: the type of the Blob, text/plain for a string, otherwise application/octet-stream. */
  readonly mediaType?: string | undefined;
  /** File name, shown to people and to the model. */
  readonly name?: string | undefined;
}

/**
 * Files for prompts.
 *
 * @example
 * const log = await holdfast.attachments.upload({ content: "error at line 3", name: "build.log" });
 * await session.prompt("explain this log", { attachments: [log] });
 */
export interface Attachments {
  /** Uploads content. The same content has the same hash. */
  upload(content: AttachmentContent, options?: CallOptions): Promise<Attachment>;
  /** Downloads content by its hash. */
  download(hash: string, options?: CallOptions): Promise<Uint8Array>;
}

export function attachmentsOf(transport: Transport): Attachments {
  return {
    upload: ({ content, mediaType, name }, options = {}) => {
      const type = mediaType ?? usualType(content);
      const outgoing = {
        method: "POST",
        path: "/v1/attachments",
        query: { name },
        body: { type, content },
      };
      return transport.send(outgoing, { ...options, read: readJson<Attachment> });
    },
    download: (hash, options = {}) => {
      const path = "/v1/attachments/{hash}";
      const outgoing = { method: "GET", path, params: { hash }, accept: "*/*" };
      return transport.send(outgoing, { ...options, read: readBytes });
    },
  };
}

/** Returns the hashes of a prompt's attachments. Uploads content first. */
export async function hashesOf(
  transport: Transport,
  attachments: readonly (string | AttachmentContent | Attachment)[],
  options: CallOptions,
): Promise<string[]> {
  const uploads = attachmentsOf(transport);
  const hashes: string[] = [];
  for (const attachment of attachments) {
    if (typeof attachment === "string") hashes.push(attachment);
    else if ("hash" in attachment) hashes.push(attachment.hash);
    else hashes.push((await uploads.upload(attachment, options)).hash);
  }
  return hashes;
}

function usualType(content: AttachmentContent["content"]): string {
  if (typeof content === "string") return "text/plain;charset=utf-8";
  const known = content instanceof Blob ? content.type : "";
  return known === "" ? "application/octet-stream" : known;
}

async function readBytes(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}
