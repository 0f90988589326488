import { readJson } from "./transport.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type { Attachment } from "./types.gen.ts";

/** Content to send along with a prompt. */
export interface AttachmentContent {
  readonly content: string | Blob | Uint8Array<ArrayBuffer>;
  /** What kind of content it is; that of a Blob if left out, or plain text, or just bytes. */
  readonly mediaType?: string | undefined;
  /** A file name, for people and for the model. */
  readonly name?: string | undefined;
}

export interface Attachments {
  /** Uploads once; prompts refer to it by the hash. The same content has the same hash. */
  upload(content: AttachmentContent, options?: CallOptions): Promise<Attachment>;
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

/** The hashes of what a prompt takes along; what was not uploaded yet is uploaded now. */
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
