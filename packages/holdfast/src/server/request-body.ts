import { isTooDeep, maxNesting } from "../runner/nesting.ts";
import { ApiError } from "./errors.ts";

/** A request's body, which is not read further than the limit (P5). */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const { headers } = request;
  if ((headers.get("content-encoding") ?? "identity") !== "identity") {
    throw new ApiError("badContentType", "compressed bodies are not taken; send it as it is");
  }
  const length = headers.get("content-length");
  if (length !== null && Number(length) > maxBytes) throw tooLarge(maxBytes);
  try {
    // With a length that is within the limit the server does not read on behind it.
    if (length !== null) return new Uint8Array(await request.arrayBuffer());
    return await readStream(request, maxBytes);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("invalid", "the body ended before it was complete", { cause: error });
  }
}

/** JSON in UTF-8; undefined when there is no body at all. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const contentType = request.headers.get("content-type");
  const bytes = await readBytes(request, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  if (contentType === null || !isJson(contentType)) {
    throw new ApiError("badContentType", "the body must be JSON: content-type: application/json");
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

function isJson(contentType: string): boolean {
  return jsonPattern.test(contentType.trim());
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array> {
  const { body } = request;
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): ApiError {
  const message = `the body is larger than the limit of ${limit} bytes`;
  return new ApiError("tooLarge", message, { details: { limit } });
}
