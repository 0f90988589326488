import { isTooDeep, maxNesting } from "../runtime/copies/nesting.ts";
import { ApiError } from "./errors.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  /**
   * Charges bytes to a quota: before the body is read if the request declares its length, otherwise as the bytes
   * arrive. May throw.
   */
  readonly charge: (bytes: number) => void;
}

/** Reads a request's body. Throws if it is larger than the limit (P5). */
export async function readBytes(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const length = expectLength(request, limits);
  // The HTTP server never reads past the declared length, so no further check is needed.
  if (length !== null) {
    try {
      return new Uint8Array(await request.arrayBuffer());
    } catch (error) {
      throw cutOff(error);
    }
  }
  return Buffer.concat(await Array.fromAsync(piecesOf(request, limits)));
}

/** Streams a JSON body in chunks, without buffering or parsing it. */
export function readDocument(request: Request, limits: BodyLimits): AsyncIterable<Uint8Array> {
  expectJson(request);
  const length = expectLength(request, limits);
  return piecesOf(request, length === null ? limits : { ...limits, charge: () => {} });
}

/**
 * Returns the length of the body that the request declares, or null if it declares none. Throws if the length is above
 * `maxBytes`. Otherwise counts the length towards the quota (`charge`).
 */
function expectLength({ headers }: Request, { maxBytes, charge }: BodyLimits): number | null {
  if ((headers.get("content-encoding") ?? "identity") !== "identity") {
    throw new ApiError(
      "badContentType",
      "compressed bodies are not supported; send the body uncompressed",
    );
  }
  const length = headers.get("content-length");
  if (length === null) return null;
  const bytes = Number(length);
  if (bytes > maxBytes) throw tooLarge(maxBytes);
  charge(bytes);
  return bytes;
}

async function* piecesOf(
  { body }: Request,
  { maxBytes, charge }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      charge(piece.byteLength);
      yield piece;
    }
  } catch (error) {
    throw error instanceof ApiError ? error : cutOff(error);
  }
}

function cutOff(cause: unknown): ApiError {
  return new ApiError("invalid", "the body ended before it was complete; send the request again", {
    cause,
  });
}

/** Parses a JSON body in UTF-8; undefined if there is no body. */
export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  const bytes = await readBytes(request, limits);
  if (bytes.byteLength === 0) return undefined;
  expectJson(request);
  if (hasTooManyValues(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
    throw new ApiError("invalid", `the body has more than ${maxValues} values; send less at once`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError("badJson", "the body is not valid UTF-8");
  }
  const value = parse(text);
  if (!isTooDeep(value)) return value;
  throw new ApiError("invalid", `the body is nested more than ${maxNesting} levels deep`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError("badJson", "the body is not valid JSON");
  }
}

const jsonPattern = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?;?\s*$/i;

function expectJson({ headers }: Request): void {
  if (jsonPattern.test((headers.get("content-type") ?? "").trim())) return;
  throw new ApiError("badContentType", "the body must be JSON: content-type: application/json");
}

function tooLarge(limit: number): ApiError {
  const message = `the body is larger than the limit of ${limit} bytes`;
  return new ApiError("tooLarge", message, { details: { limit } });
}

/** Maximum number of values in a JSON body. Parsing more would block the process for seconds. */
const maxValues = 20_000;

/** True if the JSON text has more values than the limit. Skips strings and allocates no memory. */
function hasTooManyValues(bytes: Buffer): boolean {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
    } else if (byte === comma || byte === bracket || byte === brace) {
      count += 1;
      if (count > maxValues) return true;
    }
  }
  return false;
}

const [quote, comma, bracket, brace, backslash] = Buffer.from('",[{\\');

/** Returns the index of the closing quote; the length of the buffer if there is none. */
function endOfString(bytes: Buffer, start: number): number {
  for (let from = start + 1; ;) {
    const end = bytes.indexOf('"', from);
    if (end === -1) return bytes.length;
    let escapes = 0;
    while (bytes[end - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
    from = end + 1;
  }
}
