import { jsonSchema, tool } from "ai";
import type { ModelMessage as SdkMessage, ToolSet } from "ai";
import type { ModelMessage, ModelRequest, ToolDefinition } from "./model.ts";

/** Provider options that mark a message's end as the end of what should be cached. */
export type CacheMark = NonNullable<SdkMessage["providerOptions"]>;

/** The request in the SDK's words. The cache marks stand after what stays the same longest. */
export function sdkMessages(
  request: Pick<ModelRequest, "system" | "messages">,
  target: { provider: string; cacheMark: CacheMark | null },
): SdkMessage[] {
  const { provider, cacheMark } = target;
  const messages: SdkMessage[] = [
    { role: "system", content: request.system },
    ...request.messages.flatMap((message) => sdkMessage(message, provider)),
  ];
  if (cacheMark === null) return messages;
  const marked = new Set([0, messages.length - 1]);
  return messages.map((message, index) =>
    marked.has(index) ? { ...message, providerOptions: cacheMark } : message,
  );
}

export function sdkTools(tools: readonly ToolDefinition[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      // Without `execute`: a call ends the SDK's part, and the loop takes over.
      tool({ description, inputSchema: jsonSchema(schema) }),
    ]),
  );
}

function sdkMessage(message: ModelMessage, provider: string): SdkMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant": {
      const { original, text, calls } = message;
      if (original?.provider === provider && isMessages(original.content)) return original.content;
      const spoken = text === "" ? [] : [{ type: "text", text } as const];
      const asked = calls.map(({ callId, name, input }) => ({
        type: "tool-call" as const,
        toolCallId: callId,
        toolName: name,
        input,
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

/** Written by this program from the SDK's own answer, and read back from the log. */
function isMessages(content: unknown): content is SdkMessage[] {
  return Array.isArray(content) && content.length > 0;
}
