import { Refused, ServerFailed, Unavailable } from "./errors.ts";
import type { HoldfastError, ServerAnswer } from "./errors.ts";

/** The error that an unsuccessful answer stands for. */
export async function errorOf(response: Response): Promise<HoldfastError> {
  const { status } = response;
  const answer = await describe(response);
  const later = milliseconds(response.headers.get("retry-after"));
  // Too many requests, and no word of when to come again: a limit that waiting does not lift.
  const comesBack = status === 429 ? later !== null : comeBackLater.has(status);
  if (comesBack) return new Unavailable(answer, { retryAfter: later });
  return status >= 500 ? new ServerFailed(answer) : new Refused(answer);
}

/** 502 and 504 come from proxies in front of a server that is being restarted. */
const comeBackLater = new Set([502, 503, 504]);

/** A proxy's answer does not have our shape; its status still says enough. */
async function describe(response: Response): Promise<ServerAnswer> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const error = errorIn(text);
  return {
    status,
    code: stringOf(error["code"]) ?? `http${status}`,
    message: stringOf(error["message"]) ?? `the answer was ${status} ${response.statusText}`.trim(),
    requestId: stringOf(error["requestId"]) ?? response.headers.get("x-request-id"),
    details: error["details"],
  };
}

function errorIn(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return recordOf(recordOf(body)["error"]);
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** What Retry-After says, which is seconds or a date. */
function milliseconds(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  const left = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isNaN(left) ? null : Math.max(0, left);
}
