import { dataFrame, fields, list, text } from "./protocol.ts";
import type { Protocol } from "./protocol.ts";
import type { Finish, HeardMessage } from "./script.ts";

/** Google's streaming generateContent protocol. */
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
  error: ({ status, message, code }) => ({
    error: { code: status, message, status: code ?? `ERROR_${status}` },
  }),
  open: (call) => {
    let calls = 0;
    return {
      begin: () => [],
      part: (part) => {
        if ("text" in part) return [frame([{ text: part.text }])];
        if ("reasoning" in part) return [frame([{ text: part.reasoning, thought: true }])];
        const { name, input } = part.call;
        calls += 1;
        const thoughtSignature = `signed-${call.index}-${calls}`;
        return [frame([{ functionCall: { name, args: input }, thoughtSignature }])];
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
    return name === undefined ? [] : [{ id: text(name), name: text(name) }];
  });
  const signatures = all.flatMap((part) =>
    typeof part["thoughtSignature"] === "string" ? [part["thoughtSignature"]] : [],
  );
  const shown = results.flatMap((result) => list(fields(result)["parts"]).map(fields));
  const files = [...all, ...shown].flatMap((part) => {
    const { mimeType, data } = fields(part["inlineData"]);
    return data === undefined
      ? []
      : [{ mediaType: text(mimeType), content: text(data), name: null }];
  });
  if (results.length > 0) {
    const given = results.map((result) => {
      const { name, response } = fields(result);
      return { id: text(name), text: JSON.stringify(response) };
    });
    const said = [...given, ...all.map((part) => ({ text: text(part["text"]) }))];
    const words = said.map((part) => part.text).join("\n");
    return { role: "tool", text: words, files, calls, results: given, signatures };
  }
  const speaker = role === "model" ? "assistant" : "user";
  return { role: speaker, text: text(parts), files, calls, results: [], signatures };
}
