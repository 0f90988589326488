import { Readable } from "node:stream";
import { APICallError } from "@ai-sdk/provider";
import type { LanguageModelV4StreamPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "../ai-sdk.ts";
import { errorStatusIn } from "../one-origin.ts";
import { failure } from "../provider-errors.ts";
import { markCache } from "./cache-marks.ts";
import { createChatAnswer } from "./chat-answer.ts";
import { dialectOf } from "./dialect.ts";
import type { ChatDialect } from "./dialect.ts";
import { post as usualPost } from "./post.ts";
import type { Post, Posted } from "./post.ts";

export interface ChatSettings {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly post?: Post;
}

/**
 * Opens a model with the OpenAI-compatible chat API. The SDK builds the request. Holdfast sends it and parses the
 * response itself, because the SDK's chain of streams took most of the time of a call.
 */
export function openChatModel(target: {
  name: string;
  model: string;
  settings: ChatSettings;
}): LanguageModel {
  const { name, settings } = target;
  const { baseURL, apiKey, headers = {}, post = usualPost } = settings;
  const metadataKey = name.split(".")[0] ?? name;
  const url = `${baseURL.replace(/\/$/, "")}/chat/completions`;
  const converter = new OpenAICompatibleChatLanguageModel(target.model, {
    provider: `${name}.chat`,
    url: () => url,
    headers: () => ({}),
  });
  const sent = {
    "content-type": "application/json",
    "user-agent": "holdfast",
    ...(apiKey === undefined || apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` }),
    ...headers,
  };
  const dialect = dialectOf({ name, baseUrl: baseURL, model: target.model });
  let { limit } = dialect;
  return {
    doStream: async (options) => {
      const { reasoning, providerOptions = {}, ...others } = options;
      const { body } = await converter.prepareRequest(others);
      const asked = reasoning === undefined ? {} : dialect.reasoning(reasoning);
      const key = dialect.keysCache ? cacheKeyIn(providerOptions) : {};
      const signals = options.abortSignal === undefined ? [] : [options.abortSignal];
      const sendWith = (field: ChatDialect["limit"]): Promise<Posted> => {
        const adapted = chatBody(body, { ...dialect, limit: field });
        const request = { ...adapted, ...dialect.fields, ...asked, ...key };
        return send({ post, url, headers: sent, request, signals });
      };
      const opened = await sendWith(limit).catch((error: unknown) => {
        if (limit === "max_completion_tokens" || !wantsNewLimit(error)) throw error;
        limit = "max_completion_tokens";
        return sendWith(limit);
      });
      return { stream: read(opened, { provider: name, metadataKey }) };
    },
  };
}

type Body = Readonly<Record<string, unknown>>;

/** Adapts the SDK's request body to the server. */
function chatBody(
  { max_tokens: maxTokens, ...body }: Body,
  { limit, marksCache }: Pick<ChatDialect, "limit" | "marksCache">,
): Body {
  const messages: unknown = body["messages"];
  return {
    ...body,
    ...(maxTokens === undefined ? {} : { [limit]: maxTokens }),
    ...(marksCache && Array.isArray(messages) ? { messages: markCache(messages) } : {}),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function cacheKeyIn({ openai }: SharedV4ProviderOptions): Body {
  const key = openai?.["promptCacheKey"];
  return key === undefined ? {} : { prompt_cache_key: key };
}

/** True if the server rejects the field `max_tokens` for a model that Holdfast does not know. */
function wantsNewLimit(error: unknown): boolean {
  if (!APICallError.isInstance(error) || error.statusCode !== 400) return false;
  return error.responseBody?.includes("max_completion_tokens") === true;
}

async function send(sending: {
  post: Post;
  url: string;
  headers: Readonly<Record<string, string>>;
  request: Body;
  signals: readonly AbortSignal[];
}): Promise<Posted> {
  const { post, url, headers, request, signals } = sending;
  const posting = { url, headers, body: JSON.stringify(request), signals };
  const answer = await post(posting)
    .catch((error: unknown) => {
      throw unsent(error, { url, request });
    })
    .then(withStatus);
  if (!isGood(answer)) throw await refused(answer, { url, request });
  return answer;
}

function isGood({ status }: Posted): boolean {
  return status >= 200 && status < 300;
}

/** Some servers send an error as JSON with status 200. Changes the status of such a response to an error status. */
async function withStatus(answer: Posted): Promise<Posted> {
  const type = answer.headers["content-type"] ?? "";
  if (!isGood(answer) || !type.startsWith("application/json")) return answer;
  const text = await textOf(answer);
  const status = errorStatusIn(text) ?? answer.status;
  return { ...answer, status, body: Readable.from([Buffer.from(text)]) };
}

interface Call {
  readonly url: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** Wraps a connection error in the SDK's error type, which the error classification recognizes. */
function unsent(error: unknown, { url, request: requestBodyValues }: Call): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  // If a host name has several IP addresses, the error contains one error per address and has an empty message.
  const message = `Cannot connect to API: ${error.message || String(error.code)}`;
  return new APICallError({ message, cause: error, url, requestBodyValues, isRetryable: true });
}

async function* read(
  { headers, body }: Posted,
  { provider, metadataKey }: { provider: string; metadataKey: string },
): AsyncGenerator<LanguageModelV4StreamPart> {
  const events = createEventData();
  const answer = createChatAnswer(metadataKey);
  const isPlain = (headers["content-encoding"] ?? "identity") === "identity";
  for await (const bytes of body) {
    if (!isPlain) {
      const detail = "the server compresses its answers although the request asked it not to";
      throw failure("invalid", { provider, detail });
    }
    for (const data of events.push(bytes)) {
      for (const part of answer.take(data)) yield part;
    }
  }
  for (const part of answer.end()) yield part;
}

/** Converts an error response of the provider to an SDK error. */
async function refused(answer: Posted, { url, request }: Call): Promise<APICallError> {
  const { status: statusCode, statusText, headers: responseHeaders } = answer;
  const responseBody = await textOf(answer);
  return new APICallError({
    message: messageIn(responseBody) ?? statusText,
    url,
    requestBodyValues: request,
    statusCode,
    responseHeaders,
    responseBody,
  });
}

async function textOf({ body }: Posted): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function messageIn(text: string): string | null {
  try {
    const message: unknown = JSON.parse(text)?.error?.message;
    return typeof message === "string" ? message : null;
  } catch {
    return null;
  }
}

/** Incremental parser for a text/event-stream. */
interface EventData {
  /** Returns the data of the events that are complete with these bytes. */
  push(bytes: Uint8Array): readonly string[];
}

function createEventData(): EventData {
  const decoder = new TextDecoder();
  /** Text after the last line end. */
  let rest = "";
  let data: string[] = [];
  return {
    push: (bytes) => {
      let text = rest + decoder.decode(bytes, { stream: true });
      rest = "";
      if (text.includes("\r")) {
        // Keep a final carriage return, because its line feed may be at the start of the next chunk.
        if (text.endsWith("\r")) rest = "\r";
        text = text.slice(0, text.length - rest.length).replaceAll(/\r\n?/g, "\n");
      }
      const lines = text.split("\n");
      rest = (lines.pop() ?? "") + rest;
      const events: string[] = [];
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice(line.startsWith(" ", 5) ? 6 : 5));
        else if (line === "data") data.push("");
        if (line !== "" || data.length === 0) continue;
        events.push(data.length === 1 ? (data[0] ?? "") : data.join("\n"));
        data = [];
      }
      return events;
    },
  };
}
