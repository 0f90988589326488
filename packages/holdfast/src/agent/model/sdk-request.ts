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
import { wellFormed } from "../well-formed.ts";
import type {
  ModelFile,
  ModelMessage,
  ModelRequest,
  ModelToolResult,
  ToolDefinition,
} from "./model.ts";

/** What one provider's API is told besides what all of them know, under the provider's name. */
export type ProviderOptions = SharedV4ProviderOptions;

/** For whom a request is put into words. */
export interface PromptTarget {
  readonly provider: string;
  /** Whether its API takes images in results of calls; else they come in a message behind them. */
  readonly takesFilesInResults: boolean;
  /** Marks a message's end as the end of what should be cached. */
  readonly cacheMark: ProviderOptions | null;
  /** Puts it in the order that the model wants. */
  readonly arrange:
    | ((prompt: readonly LanguageModelV4Message[]) => readonly LanguageModelV4Message[])
    | null;
}

/** The request in the SDK's words. */
export async function sdkPrompt(
  request: Pick<ModelRequest, "system" | "messages" | "file">,
  target: PromptTarget,
): Promise<LanguageModelV4Message[]> {
  const { provider, cacheMark, arrange } = target;
  const convert = target.takesFilesInResults ? convertWithFiles : convertFilesBehind;
  const { said, shown } = convert(request.messages, provider);
  const system = { role: "system", content: request.system.toWellFormed() } as const;
  const prompt: LanguageModelV4Message[] = [system, ...said];
  // Files are large, and kept in memory for no longer than a request takes.
  for (const { place, message } of shown) prompt[place + 1] = await withFiles(message, request);
  if (arrange !== null) return [...arrange(prompt)];
  if (cacheMark === null) return prompt;
  for (const place of cachePlaces(prompt)) {
    const message = prompt[place];
    if (message !== undefined) prompt[place] = { ...message, providerOptions: cacheMark };
  }
  return prompt;
}

/**
 * After what stays the same longest, after the whole, and where the request before this one ended: what
 * came since may be more than a provider looks back over to find it.
 */
function cachePlaces(prompt: readonly LanguageModelV4Message[]): ReadonlySet<number> {
  const answer = prompt.findLastIndex(({ role }) => role === "assistant");
  const before = prompt.slice(0, answer).findLastIndex(({ role }) => role !== "assistant");
  return new Set([0, Math.max(0, before), prompt.length - 1]);
}

/** Tools, where there are any, for the model to use as it sees fit. */
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

/** A request repeats all that was said before it: what was put into the SDK's words once, stays so. */
interface Conversion {
  readonly provider: string;
  readonly said: LanguageModelV4Message[];
  /** The messages that come with files, and where they stand. */
  readonly shown: { readonly place: number; readonly message: UserMessage | ToolMessage }[];
}

const convertWithFiles = createFold<ModelMessage, string, Conversion>({
  begin: beginConversion,
  add: addMessage,
});

const convertFilesBehind = createFold<ModelMessage, string, Conversion>({
  begin: beginConversion,
  add: (conversion, message) => {
    if (message.role !== "tool") return addMessage(conversion, message);
    addMessage(conversion, { ...message, results: message.results.map(withoutFiles) });
    const files = message.results.flatMap((result) => result.files);
    if (files.length === 0) return;
    const names = files.map(({ name, mediaType }) => name ?? mediaType).join(", ");
    addMessage(conversion, { role: "user", text: `[Shown by the calls above: ${names}]`, files });
  },
});

function beginConversion(provider: string): Conversion {
  return { provider, said: [], shown: [] };
}

function addMessage({ provider, said, shown }: Conversion, message: ModelMessage): void {
  if (message.role !== "assistant" && showsFiles(message)) {
    shown.push({ place: said.length, message });
  }
  said.push(...wellFormed(sdkMessage(message, provider)));
}

function showsFiles(message: UserMessage | ToolMessage): boolean {
  if (message.role === "user") return message.files.length > 0;
  return message.results.some(({ files }) => files.length > 0);
}

function withoutFiles(result: ModelToolResult): ModelToolResult {
  return { ...result, files: [] };
}

type FileReader = Pick<ModelRequest, "file">;

async function withFiles(
  message: UserMessage | ToolMessage,
  reader: FileReader,
): Promise<LanguageModelV4Message> {
  if (message.role === "user") {
    const parts = await fileParts(message.files, reader);
    return wellFormed({ role: "user", content: [...spoken(message.text), ...parts] });
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
  { file }: FileReader,
): Promise<(LanguageModelV4FilePart | LanguageModelV4TextPart)[]> {
  return Promise.all(
    files.map(async (reference) => filePart(reference, await file(reference.hash))),
  );
}

function filePart(
  { name, mediaType }: ModelFile,
  data: Uint8Array | null,
): LanguageModelV4FilePart | LanguageModelV4TextPart {
  if (data === null) return { type: "text", text: `[The file ${name ?? mediaType} is gone.]` };
  const named = name === null ? {} : { filename: name };
  return { type: "file", data: { type: "data", data }, mediaType, ...named };
}

function sdkMessage(message: ModelMessage, provider: string): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: spoken(message.text, "(nothing)") }];
    case "assistant": {
      const { original, text, calls } = message;
      if (original?.provider === provider && isMessages(original.content)) {
        return withCallIds(original.content, calls);
      }
      const asked = calls.map(({ callId, name, input }) => ({
        type: "tool-call" as const,
        toolCallId: callId,
        toolName: name,
        input: objectOf(input),
      }));
      const content = [...spoken(text), ...asked];
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool":
      return [{ role: "tool", content: message.results.map((result) => toolResult(result, [])) }];
  }
}

/** With parts only where it shows something: not every API takes a list. */
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

/** Some providers refuse a text in which there is nothing to be seen, and all that is said with it. */
function isBlank(text: string): boolean {
  return /^[\s\p{Cf}]*$/u.test(text);
}

function spoken(text: string, otherwise = ""): LanguageModelV4TextPart[] {
  const shown = isBlank(text) ? otherwise : text;
  return shown === "" ? [] : [{ type: "text", text: shown }];
}

/**
 * The provider's own answer, its calls under the ids that their results have. These are the
 * provider's own, unless it has used one of them twice.
 */
function withCallIds(
  messages: readonly LanguageModelV4Message[],
  calls: readonly { readonly callId: string }[],
): LanguageModelV4Message[] {
  let next = 0;
  return messages.flatMap((message) => {
    if (message.role !== "assistant") return message;
    const content = message.content.flatMap((part) => {
      // What the provider has marked as its own stays, whatever is in it.
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

/** Every API wants an object here, also where the model sent something else. */
function objectOf(input: unknown): unknown {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
}

/** Written by this program from the provider's own answer, and read back from the log. */
function isMessages(content: unknown): content is LanguageModelV4Message[] {
  return Array.isArray(content) && content.length > 0;
}
