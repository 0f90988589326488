import { Refused, ServerFailed, Unavailable } from "./errors.ts";
import type { HoldfastError, ServerAnswer } from "./errors.ts";
import type { ErrorBody } from "./types.gen.ts";

/** Converts an unsuccessful response to an error. */
export async function errorOf(response: Response): Promise<HoldfastError> {
  const { status } = response;
  const answer = await describe(response);
  const later = milliseconds(response.headers.get("retry-after"));
  // A 429 without Retry-After is a full queue or a used-up quota. Repeating the request soon does not help.
  const comesBack = status === 429 ? later !== null : comeBackLater.has(status);
  if (comesBack) return new Unavailable(answer, { retryAfter: later });
  return status >= 500 ? new ServerFailed(answer) : new Refused(answer);
}

/** Statuses that ask the client to retry later. Proxies send 502 and 504 while the server restarts. */
const comeBackLater = new Set([502, 503, 504]);

/** Reads an error body. A proxy's error page has another format: then only the status is used. */
async function describe(response: Response): Promise<ServerAnswer> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const error = errorIn(text);
  return {
    status,
    code: error?.code ?? `http${status}`,
    message: error?.message ?? `the answer was ${status} ${response.statusText}`.trim(),
    requestId: error?.requestId ?? response.headers.get("x-request-id"),
    details: error?.details ?? {},
  };
}

/** Returns the error in a response body. Null: the body does not come from a Holdfast server. */
function errorIn(text: string): ErrorBody["error"] | null {
  try {
    const body: { error?: ErrorBody["error"] } | null = JSON.parse(text);
    const { error } = body ?? {};
    return typeof error?.code === "string" && typeof error.message === "string" ? error : null;
  } catch {
    return null;
  }
}

/** Parses Retry-After, which has seconds or a date. */
function milliseconds(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  const left = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(left) ? null : Math.max(0, left);
}
