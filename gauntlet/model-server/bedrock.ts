import { eventStreamFrame } from "./event-stream.ts";
import { argumentsOf, fields, list, text } from "./protocol.ts";
import type { Fields, Protocol } from "./protocol.ts";
import type { Finish, HeardMessage } from "./script.ts";

/** Amazon Bedrock's ConverseStream protocol. Answers are binary event streams. */
export const bedrock: Protocol = {
  name: "bedrock",
  path: /\/model\/[^/]+\/converse-stream$/,
  contentType: "application/vnd.amazon.eventstream",
  read: (body, path) => {
    const { system, messages, toolConfig } = fields(body);
    return {
      model: decodeURIComponent(/\/model\/([^/]+)\//.exec(path)?.[1] ?? ""),
      system: text(system),
      messages: list(messages).map(heard),
      tools: list(fields(toolConfig)["tools"]).flatMap((tool) => {
        const { toolSpec } = fields(tool);
        return toolSpec === undefined ? [] : [text(fields(toolSpec)["name"])];
      }),
    };
  },
  error: ({ message }) => ({ message }),
  open: (call) => {
    let index = -1;
    let open: "text" | "reasoning" | null = null;
    const close = (): Uint8Array[] => {
      if (open === null) return [];
      const signature = `signed-${call.index}-${index}`;
      const signed = open === "reasoning" ? [delta({ reasoningContent: { signature } })] : [];
      open = null;
      return [...signed, event("contentBlockStop", { contentBlockIndex: index })];
    };
    const delta = (given: object): Uint8Array =>
      event("contentBlockDelta", { contentBlockIndex: index, delta: given });
    const block = (kind: "text" | "reasoning", given: object): Uint8Array[] => {
      const before = open === kind ? [] : close();
      if (open !== kind) index += 1;
      open = kind;
      return [...before, delta(given)];
    };
    return {
      begin: () => [event("messageStart", { role: "assistant" })],
      part: (part) => {
        if ("text" in part) return block("text", { text: part.text });
        if ("reasoning" in part) {
          return block("reasoning", { reasoningContent: { text: part.reasoning } });
        }
        const { id: toolUseId, name, input } = part.call;
        const before = close();
        index += 1;
        const start = { toolUse: { toolUseId, name } };
        return [
          ...before,
          event("contentBlockStart", { contentBlockIndex: index, start }),
          delta({ toolUse: { input: argumentsOf(input) } }),
          event("contentBlockStop", { contentBlockIndex: index }),
        ];
      },
      end: ({ finish, usage }) => [
        ...close(),
        event("messageStop", { stopReason: stopReasons[finish] }),
        event("metadata", {
          usage: {
            inputTokens: usage.input - usage.cached,
            outputTokens: usage.output,
            totalTokens: usage.input + usage.output,
            cacheReadInputTokens: usage.cached,
            cacheWriteInputTokens: 0,
          },
          metrics: { latencyMs: 1 },
        }),
      ],
    };
  },
};

function event(type: string, payload: object): Uint8Array {
  // Bedrock pads payloads with a field `p`.
  return eventStreamFrame(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    { ...payload, p: "abcdefg" },
  );
}

const stopReasons: Readonly<Record<Finish, string>> = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  filter: "content_filtered",
};

function heard(message: unknown): HeardMessage {
  const { role, content } = fields(message);
  const parts = list(content).map(fields);
  const inside = (name: string): Fields[] =>
    parts.flatMap((part) => (name in part ? [fields(part[name])] : []));
  const results = inside("toolResult");
  const shown = results.flatMap((result) => list(result["content"]).map(fields));
  const images = [...parts, ...shown].flatMap((part) =>
    "image" in part ? [fields(part["image"])] : [],
  );
  const common = {
    calls: inside("toolUse").map(({ toolUseId, name }) => ({
      id: text(toolUseId),
      name: text(name),
    })),
    files: images.map(({ format, source }) => ({
      mediaType: `image/${text(format)}`,
      content: text(fields(source)["bytes"]),
      name: null,
    })),
    signatures: inside("reasoningContent").map(({ reasoningText }) =>
      text(fields(reasoningText)["signature"]),
    ),
  };
  const given = results.map(({ toolUseId, content: said }) => ({
    id: text(toolUseId),
    text: text(said),
  }));
  if (given.length > 0) {
    const said = [...given.map((result) => result.text), text(content)].join("\n");
    return { ...common, role: "tool", text: said, results: given };
  }
  const speaker = role === "assistant" ? role : "user";
  return { ...common, role: speaker, text: text(content), results: [] };
}
