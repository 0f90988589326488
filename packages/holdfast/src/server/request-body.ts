import { isTooDeep, maxNesting } from "../runner/nesting.ts";
import { ApiError } from "./errors.ts";

/** A request's body, which is not read further than the limit (P5). */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const length = expectLength(request, maxBytes);
  // With a length that is within the limit the server does not read on behind it.
  if (length !== null) {
    try {
      return new Uint8Array(await request.arrayBuffer());
    } catch (error) {
      throw cutOff(error);
    }
  }
  return Buffer.concat(await Array.fromAsync(piecesOf(request, maxBytes)));
}

/** JSON that is read as it comes: its pieces are not kept, and not checked. */
export function readDocument(request: Request, maxBytes: number): AsyncIterable<Uint8Array> {
  expectLength(request, maxBytes);
  expectJson(request);
  return piecesOf(request, maxBytes);
}

/** The length that the request names; null if it names none. */
function expectLength({ headers }: Request, maxBytes: number): number | null {
  if ((headers.get("content-encoding") ?? "identity") !== "identity") {
    throw new ApiError("badContentType", "compressed bodies are not taken; send it as it is");
  }
  const length = headers.get("content-length");
  if (length !== null && Number(length) > maxBytes) throw tooLarge(maxBytes);
  return length === null ? null : Number(length);
}

async function* piecesOf({ body }: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield piece;
    }
  } catch (error) {
    throw error instanceof ApiError ? error : cutOff(error);
  }
}

function cutOff(cause: unknown): ApiError {
  return new ApiError("invalid", "the body ended before it was complete", { cause });
}

/** JSON in UTF-8; undefined when there is no body at all. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  expectJson(request);
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
