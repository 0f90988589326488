import { jsonSchema, tool } from "ai";
import type { AssistantContent, FilePart, ModelMessage as SdkMessage, TextPart, ToolSet } from "ai";
import { createFold } from "../fold.ts";
import type { ModelFile, ModelMessage, ModelRequest, ToolDefinition } from "./model.ts";

/** What one provider's API is told besides what all of them know, under the provider's name. */
export type ProviderOptions = NonNullable<SdkMessage["providerOptions"]>;

interface Target {
  readonly provider: string;
  /** Marks a message's end as the end of what should be cached. */
  readonly cacheMark: ProviderOptions | null;
}

/** The request in the SDK's words. The cache marks stand after what stays the same longest. */
export async function sdkMessages(
  request: Pick<ModelRequest, "system" | "messages" | "file">,
  target: Target,
): Promise<SdkMessage[]> {
  const { provider, cacheMark } = target;
  const { said, shown } = convert(request.messages, provider);
  const messages: SdkMessage[] = [{ role: "system", content: request.system }, ...said];
  // Files are large, and kept in memory for no longer than a request takes.
  for (const { place, message } of shown) messages[place + 1] = await withFiles(message, request);
  if (cacheMark === null) return messages;
  for (const index of new Set([0, messages.length - 1])) {
    const message = messages[index];
    if (message !== undefined) messages[index] = { ...message, providerOptions: cacheMark };
  }
  return messages;
}

export function sdkTools(tools: readonly ToolDefinition[]): ToolSet {
  const made = toolSets.get(tools) ?? Object.fromEntries(tools.map(sdkTool));
  toolSets.set(tools, made);
  return made;
}

const toolSets = new WeakMap<readonly ToolDefinition[], ToolSet>();

type UserMessage = Extract<ModelMessage, { role: "user" }>;

/** A request repeats all that was said before it: what was put into the SDK's words once, stays so. */
interface Conversion {
  readonly provider: string;
  readonly said: SdkMessage[];
  /** The messages that come with files, and where they stand. */
  readonly shown: { readonly place: number; readonly message: UserMessage }[];
}

const convert = createFold<ModelMessage, string, Conversion>({
  begin: (provider) => ({ provider, said: [], shown: [] }),
  add: ({ provider, said, shown }, message) => {
    if (message.role === "user" && message.files.length > 0) {
      shown.push({ place: said.length, message });
    }
    said.push(...sdkMessage(message, provider));
  },
});

async function withFiles(
  { text, files }: UserMessage,
  { file }: Pick<ModelRequest, "file">,
): Promise<SdkMessage> {
  const parts = await Promise.all(
    files.map(async (reference) => filePart(reference, await file(reference.hash))),
  );
  const spoken = text === "" ? [] : [{ type: "text", text } as const];
  return { role: "user", content: [...spoken, ...parts] };
}

function filePart({ name, mediaType }: ModelFile, data: Uint8Array | null): FilePart | TextPart {
  if (data === null) return { type: "text", text: `[The file ${name ?? mediaType} is gone.]` };
  return { type: "file", data, mediaType, ...(name === null ? {} : { filename: name }) };
}

function sdkTool({ name, description, schema }: ToolDefinition): [string, ToolSet[string]] {
  // Without `execute`: a call ends the SDK's part, and the loop takes over.
  return [name, tool({ description, inputSchema: jsonSchema(schema) })];
}

function sdkMessage(message: ModelMessage, provider: string): SdkMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant": {
      const { original, text, calls } = message;
      if (original?.provider === provider && isMessages(original.content)) {
        return withCallIds(original.content, calls);
      }
      const spoken = text === "" ? [] : [{ type: "text", text } as const];
      const asked = calls.map(({ callId, name, input }) => ({
        type: "tool-call" as const,
        toolCallId: callId,
        toolName: name,
        input: objectOf(input),
      }));
      const content = [...spoken, ...asked];
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
    case "tool": {
      const content = message.results.map(({ callId, name, output, failed }) => ({
        type: "tool-result" as const,
        toolCallId: callId,
        toolName: name,
        output: failed
          ? { type: "error-text" as const, value: output }
          : { type: "text" as const, value: output },
      }));
      return [{ role: "tool", content }];
    }
  }
}

/** Words alone, which most answers are, take less room and less time as a plain text. */
function plainText(content: AssistantContent): string | null {
  const [part, ...others] = typeof content === "string" ? [] : content;
  if (part?.type !== "text" || others.length > 0) return null;
  return part.providerOptions === undefined ? part.text : null;
}

/**
 * The provider's own answer, its calls under the ids that their results have. These are the
 * provider's own, unless it has used one of them twice.
 */
function withCallIds(
  messages: readonly SdkMessage[],
  calls: readonly { readonly callId: string }[],
): SdkMessage[] {
  let next = 0;
  return messages.map((message) => {
    if (message.role !== "assistant" || typeof message.content === "string") return message;
    const plain = plainText(message.content);
    if (plain !== null) return { role: "assistant", content: plain };
    const content = message.content.map((part) => {
      if (part.type !== "tool-call") return part;
      const toolCallId = calls[next]?.callId ?? part.toolCallId;
      next += 1;
      return { ...part, toolCallId, input: objectOf(part.input) };
    });
    return { ...message, content };
  });
}

/** Every API wants an object here, also where the model sent something else. */
function objectOf(input: unknown): unknown {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
}

/** Written by this program from the SDK's own answer, and read back from the log. */
function isMessages(content: unknown): content is SdkMessage[] {
  return Array.isArray(content) && content.length > 0;
}
