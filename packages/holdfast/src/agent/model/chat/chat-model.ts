import { APICallError } from "@ai-sdk/provider";
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { OpenAICompatibleChatLanguageModel } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "../ai-sdk.ts";
import { createChatAnswer } from "./chat-answer.ts";
import { createEventData } from "./event-data.ts";

export interface ChatSettings {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

/**
 * A model behind the chat API that most servers speak. The SDK puts the request into words; the answer is
 * read here, since most of what a call cost was the four streams that the SDK leads each piece through.
 */
export function openChatModel(parts: {
  name: string;
  model: string;
  settings: ChatSettings;
}): LanguageModel {
  const { name, settings } = parts;
  const { baseURL, apiKey, headers = {}, fetch: send = fetch } = settings;
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
      const response = await post({ url, headers: sent, request, options, send });
      if (!response.ok) throw await refused(response, { url, request });
      return { stream: read(response, metadataKey) };
    },
  };
}

interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: Readonly<Record<string, unknown>>;
  readonly options: LanguageModelV4CallOptions;
  readonly send: typeof fetch;
}

async function post({ url, headers, request, options, send }: Posting): Promise<Response> {
  const { abortSignal: signal = null } = options;
  const body = JSON.stringify(request);
  try {
    return await send(url, { method: "POST", headers, body, signal });
  } catch (error) {
    const cause = error instanceof TypeError ? error.cause : null;
    if (!(cause instanceof Error)) throw error;
    const message = `Cannot connect to API: ${cause.message}`;
    throw new APICallError({ message, cause, url, requestBodyValues: request, isRetryable: true });
  }
}

async function* read(
  { body }: Response,
  metadataKey: string,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const events = createEventData();
  const answer = createChatAnswer(metadataKey);
  for await (const bytes of body ?? []) {
    for (const data of events.push(bytes)) {
      for (const part of answer.take(data)) yield part;
    }
  }
  for (const part of answer.end()) yield part;
}

/** What the provider says about a request that it did not take. */
async function refused(
  response: Response,
  { url, request }: Pick<Posting, "url" | "request">,
): Promise<APICallError> {
  const { status: statusCode, statusText } = response;
  const responseBody = await response.text();
  return new APICallError({
    message: messageIn(responseBody) ?? statusText,
    url,
    requestBodyValues: request,
    statusCode,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
  });
}

function messageIn(text: string): string | null {
  try {
    const message: unknown = JSON.parse(text)?.error?.message;
    return typeof message === "string" ? message : null;
  } catch {
    return null;
  }
}
