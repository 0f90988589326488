import { request as requestHttp } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isPrivateHost, PrivateAddress, publicLookup } from "./address.ts";

export interface Response {
  readonly status: number;
  readonly contentType: string;
  readonly location: string | null;
  readonly bytes: Buffer;
  /** True if the body was cut at the size limit. */
  readonly truncated: boolean;
}

export interface GetOptions {
  readonly maxBytes: number;
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
  /** Returns true if a body of this content type should be read. */
  readonly wants: (contentType: string) => boolean;
}

/** Sends one GET request without cookies or credentials. Does not follow redirects. */
export async function httpGet(url: URL, options: GetOptions): Promise<Response> {
  if (!options.allowPrivate && isPrivateHost(url.hostname)) throw new PrivateAddress(url.hostname);
  const message = await send(url, options);
  try {
    const contentType = message.headers["content-type"] ?? "";
    const location = message.headers.location ?? null;
    const status = message.statusCode ?? 0;
    const isRedirect = status >= 300 && status < 400;
    const wanted = !isRedirect && options.wants(contentType);
    const body = wanted
      ? await readBody(message, options)
      : { bytes: Buffer.alloc(0), truncated: false };
    return { status, contentType, location, ...body };
  } finally {
    message.destroy();
  }
}

function send(url: URL, options: GetOptions): Promise<IncomingMessage> {
  const { signal, allowPrivate } = options;
  const start = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = start(url, {
      signal,
      agent: false,
      headers: {
        "user-agent": "holdfast",
        accept: "text/html, text/*, application/json;q=0.9, */*;q=0.1",
        "accept-encoding": "identity",
      },
      ...(allowPrivate ? {} : { lookup: publicLookup }),
    });
    request.once("response", resolve);
    request.once("error", reject);
    request.end();
  });
}

/**
 * Reads the body up to the limit. Counts bytes after decompression, because a small response can expand to a huge one.
 */
async function readBody(
  message: IncomingMessage,
  options: GetOptions,
): Promise<{ bytes: Buffer; truncated: boolean }> {
  const { maxBytes, signal } = options;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of unpacked(message)) {
    signal.throwIfAborted();
    const bytes: Buffer = chunk;
    chunks.push(bytes);
    length += bytes.length;
    if (length > maxBytes) {
      return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), truncated: true };
    }
  }
  return { bytes: Buffer.concat(chunks), truncated: false };
}

function unpacked(message: IncomingMessage): Readable {
  const unpack = unpackers[message.headers["content-encoding"]?.toLowerCase() ?? "identity"];
  if (unpack === undefined) return message;
  const stream = unpack();
  message.once("error", (error) => stream.destroy(error));
  return message.pipe(stream);
}

const unpackers: Readonly<Record<string, (() => NodeJS.ReadWriteStream & Readable) | undefined>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
