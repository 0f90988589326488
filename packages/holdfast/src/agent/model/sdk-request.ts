import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { createFold } from "../fold.ts";
import { fitImage } from "../images/fit-image.ts";
import type { ImageLimits } from "../images/fit-image.ts";
import { wellFormed } from "../well-formed.ts";
import type {
  ModelFile,
  ModelMessage,
  ModelRequest,
  ModelToolResult,
  ToolDefinition,
} from "./model.ts";

/** Provider-specific request options, by provider name. */
export type ProviderOptions = SharedV4ProviderOptions;

/** The provider and model for which a prompt is converted. */
export interface PromptTarget {
  readonly provider: string;
  /** True if the API accepts images in tool results. Otherwise they are sent in a message after the results. */
  readonly takesFilesInResults: boolean;
  readonly imageLimits: ImageLimits;
  /** Provider option that marks the end of the cached part of a prompt. */
  readonly cacheMark: ProviderOptions | null;
  /** Adapts the messages to the requirements of the model. */
  readonly arrange:
    | ((prompt: readonly LanguageModelV4Message[]) => readonly LanguageModelV4Message[])
    | null;
}

/** Converts a request to the SDK's format. */
export async function sdkPrompt(
  request: Pick<ModelRequest, "system" | "messages" | "file">,
  target: PromptTarget,
): Promise<LanguageModelV4Message[]> {
  const { provider, cacheMark, arrange } = target;
  const convert = target.takesFilesInResults ? convertWithFiles : convertFilesAfter;
  const { messages, shown } = convert(request.messages, provider);
  const system = { role: "system", content: request.system.toWellFormed() } as const;
  const prompt: LanguageModelV4Message[] = [system, ...messages];
  // Load files only now, because they are large and should not stay in memory.
  for (const { place, message } of shown)
    prompt[place + 1] = await withFiles(message, {
      file: request.file,
      limits: target.imageLimits,
    });
  if (arrange !== null) return [...arrange(prompt)];
  if (cacheMark === null) return prompt;
  for (const place of cachePlaces(prompt)) {
    const message = prompt[place];
    if (message !== undefined) prompt[place] = { ...message, providerOptions: cacheMark };
  }
  return prompt;
}

/**
 * Returns the positions of cache marks: after the system prompt, at the end of the previous request, and at the end.
 * Without the second mark, a provider may not search back far enough to find the cached part.
 */
function cachePlaces(prompt: readonly LanguageModelV4Message[]): ReadonlySet<number> {
  const answer = prompt.findLastIndex(({ role }) => role === "assistant");
  const before = prompt.slice(0, answer).findLastIndex(({ role }) => role !== "assistant");
  return new Set([0, Math.max(0, before), prompt.length - 1]);
}

/** Converts tool definitions. The model may choose any of them. */
export function sdkTools(
  tools: readonly ToolDefinition[],
): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> {
  if (tools.length === 0) return {};
  return { tools: tools.map(sdkTool), toolChoice: { type: "auto" } };
}

function sdkTool({ name, description, schema }: ToolDefinition): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: schema };
}

type UserMessage = Extract<ModelMessage, { role: "user" }>;
type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

/** Cached conversion of a conversation, because each request repeats all earlier messages. */
interface Conversion {
  readonly provider: string;
  readonly messages: LanguageModelV4Message[];
  /** User and tool messages with files. `place` is the index of the converted message in `messages`. */
  readonly shown: { readonly place: number; readonly message: UserMessage | ToolMessage }[];
}

const convertWithFiles = createFold<ModelMessage, string, Conversion>({
  begin: beginConversion,
  add: addMessage,
});

const convertFilesAfter = createFold<ModelMessage, string, Conversion>({
  begin: beginConversion,
  add: (conversion, message) => {
    if (message.role !== "tool") return addMessage(conversion, message);
    addMessage(conversion, { ...message, results: message.results.map(withoutFiles) });
    const files = message.results.flatMap((result) => result.files);
    if (files.length === 0) return;
    const names = files.map(({ name, mediaType }) => name ?? mediaType).join(", ");
    addMessage(conversion, {
      role: "user",
      text: `[Files from the tool results above: ${names}]`,
      files,
    });
  },
});

function beginConversion(provider: string): Conversion {
  return { provider, messages: [], shown: [] };
}

function addMessage({ provider, messages, shown }: Conversion, message: ModelMessage): void {
  if (message.role !== "assistant" && showsFiles(message)) {
    shown.push({ place: messages.length, message });
  }
  messages.push(...wellFormed(sdkMessage(message, provider)));
}

function showsFiles(message: UserMessage | ToolMessage): boolean {
  if (message.role === "user") return message.files.length > 0;
  return message.results.some(({ files }) => files.length > 0);
}

function withoutFiles(result: ModelToolResult): ModelToolResult {
  return { ...result, files: [] };
}

type FileReader = Pick<ModelRequest, "file"> & { readonly limits: ImageLimits };

async function withFiles(
  message: UserMessage | ToolMessage,
  reader: FileReader,
): Promise<LanguageModelV4Message> {
  if (message.role === "user") {
    const parts = await fileParts(message.files, reader);
    return wellFormed({ role: "user", content: [...textParts(message.text), ...parts] });
  }
  const content = await Promise.all(
    message.results.map(async (result) => {
      const parts = await fileParts(result.files, reader);
      return toolResult(result, [{ type: "text", text: result.output }, ...parts]);
    }),
  );
  return wellFormed({ role: "tool", content });
}

function fileParts(
  files: readonly ModelFile[],
  { file, limits }: FileReader,
): Promise<(LanguageModelV4FilePart | LanguageModelV4TextPart)[]> {
  return Promise.all(
    files.map(async (reference) => filePart(reference, await file(reference.hash), limits)),
  );
}

async function filePart(
  { hash, name, mediaType }: ModelFile,
  data: Uint8Array | null,
  limits: ImageLimits,
): Promise<LanguageModelV4FilePart | LanguageModelV4TextPart> {
  const what = name ?? mediaType;
  if (data === null)
    return { type: "text", text: `[The content of the file ${what} was deleted.]` };
  const isImage = mediaType.startsWith("image/");
  const shown = isImage ? await fitImage({ hash, data, mediaType }, limits) : { data, mediaType };
  if (shown === null) {
    return { type: "text", text: `[The image ${what} is too large and could not be scaled down.]` };
  }
  const named = name === null ? {} : { filename: name };
  const content = { type: "data", data: shown.data } as const;
  return { type: "file", data: content, mediaType: shown.mediaType, ...named };
}

function sdkMessage(message: ModelMessage, provider: string): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: textParts(message.text, "(empty)") }];
    case "assistant": {
      const { original, text, calls } = message;
      if (original?.provider === provider && isMessages(original.content)) {
        return withCallIds(original.content, calls);
      }
      const toolCalls = calls.map(({ callId, name, input }) => ({
        type: "tool-call" as const,
        toolCallId: callId,
        toolName: name,
        input: objectOf(input),
      }));
      const content = [...textParts(text), ...toolCalls];
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return [{ role: "tool", content: message.results.map((result) => toolResult(result, [])) }];
  }
}

/** Builds a list of parts only if there are files, because not every API accepts a list. */
function toolResult(
  { callId, name, output, failed, files }: ModelToolResult,
  value: (LanguageModelV4FilePart | LanguageModelV4TextPart)[],
): LanguageModelV4ToolResultPart {
  const words = failed
    ? { type: "error-text" as const, value: output }
    : { type: "text" as const, value: output };
  const content = { type: "content" as const, value };
  const isShown = files.length > 0 && value.length > 0;
  return {
    type: "tool-result",
    toolCallId: callId,
    toolName: name,
    output: isShown ? content : words,
  };
}

/** True for text without visible characters, which some providers reject. */
function isBlank(text: string): boolean {
  return /^[\s\p{Cf}]*$/u.test(text);
}

function textParts(text: string, otherwise = ""): LanguageModelV4TextPart[] {
  const shown = isBlank(text) ? otherwise : text;
  return shown === "" ? [] : [{ type: "text", text: shown }];
}

/**
 * Returns the provider's original answer, with call ids that match those of the results. The ids are the provider's
 * own, unless it used an id twice.
 */
function withCallIds(
  messages: readonly LanguageModelV4Message[],
  calls: readonly { readonly callId: string }[],
): LanguageModelV4Message[] {
  let next = 0;
  return messages.flatMap((message) => {
    if (message.role !== "assistant") return message;
    const content = message.content.flatMap((part) => {
      // Keep parts with provider metadata unchanged, even if they are blank.
      const isMarked = part.providerOptions !== undefined;
      if (part.type === "text" && isBlank(part.text) && !isMarked) return [];
      if (part.type !== "tool-call") return part;
      const toolCallId = calls[next]?.callId ?? part.toolCallId;
      next += 1;
      return { ...part, toolCallId, input: objectOf(part.input) };
    });
    return content.length === 0 ? [] : { ...message, content };
  });
}

/** Converts call arguments to an object, which every API requires, whatever the model sent. */
function objectOf(input: unknown): unknown {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
}

/** True if the stored content is a list of messages. Only this program wrote it, so its shape is trusted. */
function isMessages(content: unknown): content is LanguageModelV4Message[] {
  return Array.isArray(content) && content.length > 0;
}
