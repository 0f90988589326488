import { argumentsOf, eventFrame, fields, list, text } from "./protocol.ts";
import type { Protocol } from "./protocol.ts";
import type { Finish, HeardMessage } from "./script.ts";

/** Anthropic's messages protocol. Also accepts Google Vertex's variant, which has the model in the path. */
export const anthropic: Protocol = {
  name: "anthropic",
  path: /\/v1\/messages$|\/publishers\/anthropic\/models\/[^/]+:streamRawPredict$/,
  read: (body, path) => {
    const { model, system, messages, tools } = fields(body);
    return {
      model: /\/models\/([^/]+):/.exec(path)?.[1] ?? text(model),
      system: text(system),
      messages: list(messages).map(heard),
      tools: list(tools).map((tool) => text(fields(tool)["name"])),
    };
  },
  error: ({ status, message, code }) => ({
    type: "error",
    error: { type: code ?? `error_${status}`, message },
  }),
  open: (call) => {
    let index = -1;
    let open: "text" | "thinking" | null = null;
    const close = (): string[] => {
      if (open === null) return [];
      const delta = { type: "signature_delta", signature: `signed-${call.index}-${index}` };
      const signed =
        open === "thinking" ? [eventFrame("content_block_delta", { index, delta })] : [];
      open = null;
      return [...signed, eventFrame("content_block_stop", { index })];
    };
    const block = (kind: "text" | "thinking", piece: string): string[] => {
      const begin = open === kind ? [] : [...close(), begun(kind)];
      open = kind;
      const delta =
        kind === "text"
          ? { type: "text_delta", text: piece }
          : { type: "thinking_delta", thinking: piece };
      return [...begin, eventFrame("content_block_delta", { index, delta })];
    };
    const begun = (kind: "text" | "thinking"): string => {
      index += 1;
      const empty =
        kind === "text" ? { type: kind, text: "" } : { type: kind, thinking: "", signature: "" };
      return eventFrame("content_block_start", { index, content_block: empty });
    };
    const message = {
      id: `msg_${call.index}`,
      type: "message",
      role: "assistant",
      model: call.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    return {
      begin: () => [eventFrame("message_start", { message })],
      part: (part) => {
        if ("text" in part) return block("text", part.text);
        if ("reasoning" in part) return block("thinking", part.reasoning);
        const { id, name, input } = part.call;
        const before = close();
        index += 1;
        const delta = { type: "input_json_delta", partial_json: argumentsOf(input) };
        return [
          ...before,
          eventFrame("content_block_start", {
            index,
            content_block: { type: "tool_use", id, name, input: {} },
          }),
          eventFrame("content_block_delta", { index, delta }),
          eventFrame("content_block_stop", { index }),
        ];
      },
      end: ({ finish, usage }) => [
        ...close(),
        eventFrame("message_delta", {
          delta: { stop_reason: stopReasons[finish], stop_sequence: null },
          usage: {
            input_tokens: usage.input - usage.cached,
            cache_read_input_tokens: usage.cached,
            cache_creation_input_tokens: 0,
            output_tokens: usage.output,
          },
        }),
        eventFrame("message_stop", {}),
      ],
    };
  },
};

const stopReasons: Readonly<Record<Finish, string>> = {
  stop: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  filter: "refusal",
};

function heard(message: unknown): HeardMessage {
  const { role, content } = fields(message);
  const parts = list(content).map(fields);
  const results = parts.filter(({ type }) => type === "tool_result");
  const calls = parts
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name }) => ({ id: text(id), name: text(name) }));
  const signatures = parts
    .filter(({ type }) => type === "thinking")
    .map(({ signature }) => text(signature));
  const shown = results.flatMap((result) => list(result["content"]).map(fields));
  const files = [...parts, ...shown]
    .filter(({ type }) => type === "image" || type === "document")
    .map(({ source, title }) => {
      const { media_type: mediaType, data } = fields(source);
      const name = title === undefined ? null : text(title);
      return { mediaType: text(mediaType), content: text(data), name };
    });
  if (results.length > 0) {
    const given = results.map((result) => ({
      id: text(result["tool_use_id"]),
      text: text(result["content"]),
    }));
    // The user's text is in the same message, after the tool results.
    const said = parts.map((part) => text(part["text"] ?? part["content"])).join("\n");
    return { role: "tool", text: said, files, calls, results: given, signatures };
  }
  const speaker = role === "assistant" ? role : "user";
  return { role: speaker, text: text(content), files, calls, results: [], signatures };
}
