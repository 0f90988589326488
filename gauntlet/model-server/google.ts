import { dataFrame, fields, list, text } from "./protocol.ts";
import type { Protocol } from "./protocol.ts";
import type { Finish, HeardMessage } from "./script.ts";

/** Google's generateContent, streamed. */
export const google: Protocol = {
  name: "google",
  path: /\/models\/[^/]+:streamGenerateContent$/,
  read: (body, path) => {
    const { systemInstruction, contents, tools } = fields(body);
    const declared = list(tools).flatMap((tool) => list(fields(tool)["functionDeclarations"]));
    return {
      model: /\/models\/([^/]+):/.exec(path)?.[1] ?? "",
      system: text(fields(systemInstruction)["parts"]),
      messages: list(contents).map(heard),
      tools: declared.map((tool) => text(fields(tool)["name"])),
    };
  },
  error: (status, message) => ({ error: { code: status, message, status: `ERROR_${status}` } }),
  open: () => {
    return {
      begin: () => [],
      part: (part) => {
        if ("text" in part) return [frame([{ text: part.text }])];
        if ("reasoning" in part) return [frame([{ text: part.reasoning, thought: true }])];
        const { name, input } = part.call;
        return [frame([{ functionCall: { name, args: input } }])];
      },
      end: ({ finish, usage }) => [
        dataFrame({
          candidates: [
            {
              content: { role: "model", parts: [{ text: "" }] },
              finishReason: finishReasons[finish],
              index: 0,
            },
          ],
          usageMetadata: {
            promptTokenCount: usage.input,
            candidatesTokenCount: usage.output,
            totalTokenCount: usage.input + usage.output,
            cachedContentTokenCount: usage.cached,
          },
        }),
      ],
    };
  },
};

function frame(parts: readonly object[]): string {
  return dataFrame({ candidates: [{ content: { role: "model", parts }, index: 0 }] });
}

const finishReasons: Readonly<Record<Finish, string>> = {
  stop: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  filter: "SAFETY",
};

function heard(message: unknown): HeardMessage {
  const { role, parts } = fields(message);
  const all = list(parts).map(fields);
  const results = all.flatMap((part) =>
    "functionResponse" in part ? [part["functionResponse"]] : [],
  );
  const calls = all.flatMap((part) => {
    const { name } = fields(part["functionCall"]);
    return name === undefined ? [] : [{ id: "", name: text(name) }];
  });
  if (results.length > 0) {
    const said = results.map((result) => JSON.stringify(fields(result)["response"])).join("\n");
    return { role: "tool", text: said, calls };
  }
  return { role: role === "model" ? "assistant" : "user", text: text(parts), calls };
}
