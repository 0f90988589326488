import { argumentsOf, dataFrame, fields, fileOfDataUrl, list, text } from "./protocol.ts";
import type { Protocol } from "./protocol.ts";
import type { Finish, HeardMessage } from "./script.ts";

/** OpenAI's chat completions protocol, which most other servers also speak. */
export const openaiChat: Protocol = {
  name: "openaiChat",
  path: /\/chat\/completions$/,
  read: (body, path) => {
    const { model, messages, tools } = fields(body);
    // Azure names the deployment in the path.
    const deployment = /\/openai\/deployments\/([^/]+)\//.exec(path)?.[1];
    const all = list(messages).map(fields);
    return {
      model: deployment ?? text(model),
      system: all
        .filter(({ role }) => role === "system")
        .map(({ content }) => text(content))
        .join("\n"),
      messages: all.filter(({ role }) => role !== "system").map(heard),
      tools: list(tools).map((tool) => text(fields(fields(tool)["function"])["name"])),
    };
  },
  error: ({ status, message, code }) => ({ error: { message, type: `error_${status}`, code } }),
  open: (call) => {
    const chunk = (choice: object | null, more: object = {}): string =>
      dataFrame({
        id: `chatcmpl-${call.index}`,
        object: "chat.completion.chunk",
        created: 0,
        model: call.model,
        choices: choice === null ? [] : [{ index: 0, finish_reason: null, ...choice }],
        ...more,
      });
    let calls = 0;
    return {
      begin: () => [chunk({ delta: { role: "assistant", content: "" } })],
      part: (part) => {
        if ("text" in part) return [chunk({ delta: { content: part.text } })];
        if ("reasoning" in part) return [chunk({ delta: { reasoning_content: part.reasoning } })];
        const { id, name, input } = part.call;
        const index = calls;
        calls += 1;
        const begun = { index, id, type: "function", function: { name, arguments: "" } };
        const rest = { index, function: { arguments: argumentsOf(input) } };
        return [
          chunk({ delta: { tool_calls: [begun] } }),
          chunk({ delta: { tool_calls: [rest] } }),
        ];
      },
      end: ({ finish, usage }) => [
        chunk({ delta: {}, finish_reason: finishReasons[finish] }),
        chunk(null, {
          usage: {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            total_tokens: usage.input + usage.output,
            prompt_tokens_details: { cached_tokens: usage.cached },
          },
        }),
        dataFrame("[DONE]"),
      ],
    };
  },
};

const finishReasons: Readonly<Record<Finish, string>> = {
  stop: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
};

function heard(message: Readonly<Record<string, unknown>>): HeardMessage {
  const { role, content, tool_calls: calls } = message;
  return {
    role: role === "assistant" || role === "tool" ? role : "user",
    text: text(content),
    files: list(content).flatMap((part) => {
      const { image_url: image, file } = fields(part);
      if (image !== undefined) return [fileOfDataUrl(fields(image)["url"])];
      const { file_data: data, filename } = fields(file);
      return file === undefined ? [] : [fileOfDataUrl(data, filename)];
    }),
    calls: list(calls).map((call) => {
      const { id, function: asked } = fields(call);
      return { id: text(id), name: text(fields(asked)["name"]) };
    }),
    results: role === "tool" ? [{ id: text(message["tool_call_id"]), text: text(content) }] : [],
    signatures: "reasoning_content" in message ? [text(message["reasoning_content"])] : [],
  };
}
