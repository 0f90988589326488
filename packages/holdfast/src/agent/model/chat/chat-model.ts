import { APICallError } from "@ai-sdk/provider";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "../ai-sdk.ts";
import { failure } from "../provider-errors.ts";
import { createChatAnswer } from "./chat-answer.ts";
import { post as usualPost } from "./post.ts";
import type { Post, Posted } from "./post.ts";

export interface ChatSettings {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly post?: Post;
}

/**
 * A model behind the chat API that most servers speak. The SDK puts the request into words; it is
 * sent and its answer read here, since most of what a call cost was the streams that each piece was led through.
 */
export function openChatModel(parts: {
  name: string;
  model: string;
  settings: ChatSettings;
}): LanguageModel {
  const { name, settings } = parts;
  const { baseURL, apiKey, headers = {}, post = usualPost } = settings;
  const metadataKey = name.split(".")[0] ?? name;
  const url = `${baseURL.replace(/\/$/, "")}/chat/completions`;
  const words = new OpenAICompatibleChatLanguageModel(parts.model, {
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
  return {
    doStream: async (options) => {
      const { body } = await words.prepareRequest(options);
      const request = { ...body, stream: true, stream_options: { include_usage: true } };
      const signals = options.abortSignal === undefined ? [] : [options.abortSignal];
      const posting = { url, headers: sent, body: JSON.stringify(request), signals };
      const answer = await post(posting).catch((error: unknown) => {
        throw unsent(error, { url, request });
      });
      if (!isGood(answer)) throw await refused(answer, { url, request });
      return { stream: read(answer, { provider: name, metadataKey }) };
    },
  };
}

function isGood({ status }: Posted): boolean {
  return status >= 200 && status < 300;
}

interface Call {
  readonly url: string;
  readonly request: Readonly<Record<string, unknown>>;
}

/** In the SDK's words: those who sort errors know them. */
function unsent(error: unknown, { url, request: requestBodyValues }: Call): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  // An address that stands for several has an error for each, and no words for all of them.
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
      const detail = "the server sends its answers compressed, though it was told not to";
      throw failure("invalid", { provider, detail });
    }
    for (const data of events.push(bytes)) {
      for (const part of answer.take(data)) yield part;
    }
  }
  for (const part of answer.end()) yield part;
}

/** What the provider says about a request that it did not take. */
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

/** Takes a text/event-stream apart, however it was cut. */
interface EventData {
  /** The data of the events that are complete with these bytes. */
  push(bytes: Uint8Array): readonly string[];
}

function createEventData(): EventData {
  const decoder = new TextDecoder();
  /** What has come behind the last end of a line. */
  let rest = "";
  let data: string[] = [];
  return {
    push: (bytes) => {
      let text = rest + decoder.decode(bytes, { stream: true });
      rest = "";
      if (text.includes("\r")) {
        // The other half of a line's end may still come.
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
