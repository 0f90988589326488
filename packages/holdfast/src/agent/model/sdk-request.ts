import { jsonSchema, tool } from "ai";
import type { ModelMessage as SdkMessage, ToolSet } from "ai";
import type { ModelMessage, ModelRequest, ToolDefinition } from "./model.ts";

/** What one provider's API is told besides what all of them know, under the provider's name. */
export type ProviderOptions = NonNullable<SdkMessage["providerOptions"]>;

interface Target {
  readonly provider: string;
  /** Marks a message's end as the end of what should be cached. */
  readonly cacheMark: ProviderOptions | null;
}

/** The request in the SDK's words. The cache marks stand after what stays the same longest. */
export function sdkMessages(
  request: Pick<ModelRequest, "system" | "messages">,
  target: Target,
): SdkMessage[] {
  const { provider, cacheMark } = target;
  const said = convert(request.messages, provider);
  const messages: SdkMessage[] = [{ role: "system", content: request.system }, ...said];
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

/** A request repeats all that was said before it: what was put into the SDK's words once, stays so. */
interface Conversion {
  readonly provider: string;
  count: number;
  last: ModelMessage | undefined;
  readonly messages: SdkMessage[];
}

/** By a conversation's first message. */
const conversions = new WeakMap<ModelMessage, Conversion>();

function convert(messages: readonly ModelMessage[], provider: string): readonly SdkMessage[] {
  const [first] = messages;
  if (first === undefined) return [];
  const known = conversions.get(first);
  const goesOn = known?.provider === provider && messages[known.count - 1] === known.last;
  const conversion: Conversion =
    known !== undefined && goesOn ? known : { provider, count: 0, last: undefined, messages: [] };
  for (const message of messages.slice(conversion.count)) {
    conversion.messages.push(...sdkMessage(message, provider));
  }
  conversion.count = messages.length;
  conversion.last = messages.at(-1);
  conversions.set(first, conversion);
  return conversion.messages;
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
