import { APICallError, JSONParseError, LoadAPIKeyError, NoSuchModelError } from "@ai-sdk/provider";
import { ModelError } from "./model.ts";
import type { ModelErrorKind } from "./model.ts";

/** Converts an error of a provider or the network to a ModelError of the right kind. */
export function modelErrorOf(error: unknown, provider: string): ModelError {
  if (error instanceof ModelError) return error;
  const source = rootOf(error);
  if (source instanceof ModelError) return source;
  const detail = source instanceof Error ? source.message : (JSON.stringify(source) ?? "unknown");
  if (LoadAPIKeyError.isInstance(source)) return failure("badKey", { provider, detail, error });
  if (NoSuchModelError.isInstance(source)) return failure("modelGone", { provider, detail, error });
  if (APICallError.isInstance(source)) {
    const { statusCode, responseBody = "", responseHeaders } = source;
    const wait = retryIn(responseHeaders) ?? retryDelayIn(responseBody);
    const kind = kindOfStatus(statusCode, { text: `${detail} ${responseBody}`, retryIn: wait });
    const said = detail.trim() === "" ? (messageIn(responseBody) ?? `HTTP ${statusCode}`) : detail;
    return failure(kind, { provider, detail: said, error, retryIn: wait });
  }
  // The text of this error is a piece of the model's answer, so do not classify by its wording.
  if (JSONParseError.isInstance(source)) {
    return failure("transient", { provider, detail: "the answer is not valid JSON", error });
  }
  const event = eventDetail(source);
  if (event === null)
    return failure(kindOfText(detail) ?? "transient", { provider, detail, error });
  const kind = kindOfStatus(event.status, { text: detail, retryIn: null });
  return failure(kind, { provider, detail: event.message, error });
}

/** Reads the message of an error whose format the SDK does not know, for example from a gateway. */
function messageIn(body: string): string | null {
  try {
    const { error, message = error } = JSON.parse(body);
    const text: unknown = typeof error === "object" ? error?.message : message;
    return typeof text === "string" ? text : null;
  } catch {
    return null;
  }
}

/** Reads the message and status code of an error event in a stream. */
function eventDetail(source: unknown): { message: string; status: number | undefined } | null {
  if (typeof source !== "object" || source === null || source instanceof Error) return null;
  const { message, statusCode, code }: Readonly<Record<string, unknown>> = { ...source };
  if (typeof message !== "string") return null;
  const status = [statusCode, code].find((value) => typeof value === "number");
  return { message, status: typeof status === "number" ? status : undefined };
}

const advice: Readonly<Record<ModelErrorKind, string>> = {
  transient: "try again later",
  stalled: "the provider stopped sending; try again",
  empty: "rephrase the prompt, or choose another model",
  endless: "ask for a smaller piece of work",
  badKey: "check the API key and its access to this model",
  noQuota: "the account has no quota left; add credit or use another provider",
  modelGone: "the provider does not have this model; choose another one",
  contextTooLong:
    "the conversation does not fit into the context window; compact it or start another session",
  contentFilter: "the provider's filter blocked it; rephrase the prompt, or choose another model",
  badFile: "the provider rejected an attached file",
  invalid: "the provider rejected the request",
};

/** Creates a ModelError with advice in its message. */
export function failure(
  kind: ModelErrorKind,
  facts: { provider: string; detail: string; error?: unknown; retryIn?: number | null },
): ModelError {
  const message = `${facts.provider}: ${facts.detail.slice(0, 500)} (${advice[kind]})`;
  const wait = facts.retryIn ?? null;
  const retryIn = wait === null ? null : Math.ceil(wait);
  return new ModelError(kind, message, { retryIn, cause: facts.error });
}

/** Unwraps SDK errors down to the provider's error. */
function rootOf(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 5; depth += 1) {
    if (APICallError.isInstance(current) || !(current instanceof Error)) return current;
    if (current instanceof ModelError) return current;
    const inner: unknown = "lastError" in current ? current.lastError : current.cause;
    if (!(inner instanceof Error)) return current;
    current = inner;
  }
  return current;
}

function kindOfStatus(
  status: number | undefined,
  event: { text: string; retryIn: number | null },
): ModelErrorKind {
  const kind = kindOfText(event.text);
  // The stream broke after a successful start, so this is a connection problem and not a bad request.
  if (status === undefined || status < 400) return kind ?? "transient";
  // Some routers moderate requests before the model receives them.
  if (status === 403 && /flagged|moderation/i.test(event.text)) return "contentFilter";
  if (status === 401 || status === 403) return "badKey";
  if (status === 402) return "noQuota";
  const isAboutFile = badFile.test(event.text);
  if (status === 404) return isAboutFile ? "badFile" : "modelGone";
  // The request alone exceeds the limit of tokens per minute, so waiting does not help. Treat it as too long.
  if (status === 429 && kind === "contextTooLong") return kind;
  // Google also calls its limits per minute a quota, but then sends a retry delay.
  if (status === 429) return kind === "noQuota" && event.retryIn === null ? kind : "transient";
  if (status === 413) return "contextTooLong";
  if (status === 408 || status === 409 || status >= 500) return "transient";
  return kind ?? (isAboutFile ? "badFile" : "invalid");
}

const badFile = /\bimages?\b|\bimage_url\b|\bpdf\b|\bdocuments?\b|\bmedia.?type\b|\bbase64\b/i;

/** Classifies by message text, because some providers send no error code, or an error event after status 200. */
function kindOfText(text: string): ModelErrorKind | null {
  if (/insufficient_quota|billing|credit balance|exceeded your current quota/i.test(text)) {
    return "noQuota";
  }
  if (tooLong.test(text)) return "contextTooLong";
  if (/content.?(filter|policy)|safety/i.test(text)) return "contentFilter";
  if (/invalid.{0,10}api.?key|api.?key.{0,10}(not valid|invalid)/i.test(text)) return "badKey";
  if (/authentication|unauthorized/i.test(text)) return "badKey";
  if (/model.{0,40}(not found|does not exist)/i.test(text)) return "modelGone";
  if (/overloaded|rate.?limit|timeout|temporarily/i.test(text)) return "transient";
  return null;
}

/** Error messages of providers for a context that is too long. Few providers have a code for it. */
const tooLong = new RegExp(
  [
    "context.{0,20}(?:length|window|limit|size)",
    "too many tokens",
    "(?:prompt|input|request) (?:is )?too (?:long|large)",
    "token count.{0,40}exceeds",
    "maximum (?:prompt|input) length",
    "(?:exceed\\w*|over) .{0,40}token limit",
    "reduce the length of",
    "request_too_large",
  ].join("|"),
  "i",
);

/** Reads Google's retry delay from the body. */
function retryDelayIn(body: string): number | null {
  const seconds = /"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

function retryIn(headers: Record<string, string> | undefined): number | null {
  const milliseconds = Number(headers?.["retry-after-ms"]);
  if (Number.isFinite(milliseconds) && milliseconds > 0) return milliseconds;
  const value = headers?.["retry-after"];
  if (value === undefined) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}
