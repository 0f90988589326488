import { argumentsOf, eventFrame, fields, fileOfDataUrl, list, text } from "./protocol.ts";
import type { Protocol } from "./protocol.ts";
import type { Finish, HeardFile, HeardMessage } from "./script.ts";

/** OpenAI's responses protocol. */
export const openaiResponses: Protocol = {
  name: "openaiResponses",
  path: /\/responses$/,
  read: (body) => {
    const { model, instructions, input, tools } = fields(body);
    const items = typeof input === "string" ? [{ role: "user", content: input }] : list(input);
    const all = items.map(fields);
    const told = all.filter(({ role }) => isSystem(role)).map(({ content }) => text(content));
    return {
      model: text(model),
      system: [text(instructions), ...told].filter((part) => part !== "").join("\n"),
      messages: all.filter(({ role }) => !isSystem(role)).map(heard),
      tools: list(tools).map((tool) => text(fields(tool)["name"])),
    };
  },
  error: ({ status, message, code }) => ({ error: { message, type: `error_${status}`, code } }),
  open: (call) => {
    let sequence = -1;
    const frame = (type: string, data: object): string => {
      sequence += 1;
      return eventFrame(type, { sequence_number: sequence, ...data });
    };
    let index = -1;
    let open: { id: string; said: string } | null = null;
    const response = (more: object): object => ({
      id: `resp_${call.index}`,
      object: "response",
      created_at: 0,
      model: call.model,
      output: [],
      ...more,
    });
    const close = (): string[] => {
      if (open === null) return [];
      const { id, said } = open;
      open = null;
      const place = { item_id: id, output_index: index, content_index: 0 };
      return [
        frame("response.output_text.done", { ...place, text: said }),
        frame("response.output_item.done", {
          output_index: index,
          item: message(id, "completed", said),
        }),
      ];
    };
    const say = (piece: string): string[] => {
      const frames: string[] = [];
      if (open === null) {
        index += 1;
        open = { id: `msg_${call.index}_${index}`, said: "" };
        const item = message(open.id, "in_progress", null);
        frames.push(frame("response.output_item.added", { output_index: index, item }));
      }
      open.said += piece;
      const place = { item_id: open.id, output_index: index, content_index: 0 };
      frames.push(frame("response.output_text.delta", { ...place, delta: piece }));
      return frames;
    };
    /** Each piece of reasoning is a separate item, with a signature that the client must send back. */
    const think = (piece: string): string[] => {
      index += 1;
      const id = `rs_${call.index}_${index}`;
      const place = { item_id: id, output_index: index, summary_index: 0 };
      const item = { type: "reasoning", id, encrypted_content: `sealed-${id}` };
      const summary = [{ type: "summary_text", text: piece }];
      return [
        frame("response.output_item.added", {
          output_index: index,
          item: { ...item, summary: [] },
        }),
        frame("response.reasoning_summary_part.added", place),
        frame("response.reasoning_summary_text.delta", { ...place, delta: piece }),
        frame("response.output_item.done", { output_index: index, item: { ...item, summary } }),
      ];
    };
    return {
      begin: () => [frame("response.created", { response: response({ status: "in_progress" }) })],
      part: (part) => {
        if ("text" in part) return say(part.text);
        if ("reasoning" in part) return [...close(), ...think(part.reasoning)];
        const { id: callId, name, namespace, input } = part.call;
        const before = close();
        index += 1;
        const id = `fc_${call.index}_${index}`;
        const given = argumentsOf(input);
        const place = { item_id: id, output_index: index };
        const item = { type: "function_call", id, call_id: callId, name, namespace };
        const begun = { ...item, arguments: "", status: "in_progress" };
        const done = { ...item, arguments: given, status: "completed" };
        return [
          ...before,
          frame("response.output_item.added", { output_index: index, item: begun }),
          frame("response.function_call_arguments.delta", { ...place, delta: given }),
          frame("response.function_call_arguments.done", { ...place, arguments: given }),
          frame("response.output_item.done", { output_index: index, item: done }),
        ];
      },
      end: ({ finish, usage }) => {
        const used = {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: usage.cached },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.input + usage.output,
        };
        const cause = incomplete[finish];
        const type = cause === null ? "response.completed" : "response.incomplete";
        const status = cause === null ? "completed" : "incomplete";
        const details = cause === null ? null : { reason: cause };
        const last = response({ status, incomplete_details: details, usage: used });
        return [...close(), frame(type, { response: last })];
      },
    };
  },
};

function isSystem(role: unknown): boolean {
  return role === "system" || role === "developer";
}

function message(id: string, status: string, said: string | null): object {
  const content = said === null ? [] : [{ type: "output_text", text: said, annotations: [] }];
  return { type: "message", id, role: "assistant", status, content };
}

const incomplete: Readonly<Record<Finish, string | null>> = {
  stop: null,
  calls: null,
  length: "max_output_tokens",
  filter: "content_filter",
};

function heard(item: Readonly<Record<string, unknown>>): HeardMessage {
  const { type, role, content, output } = item;
  const none = { files: [], calls: [], results: [], signatures: [] };
  if (type === "function_call_output") {
    const result = { id: text(item["call_id"]), text: text(output) };
    return { ...none, role: "tool", text: text(output), files: filesOf(output), results: [result] };
  }
  if (type === "function_call") {
    const call = { id: text(item["call_id"]), name: text(item["name"]) };
    return { ...none, role: "assistant", text: "", calls: [call] };
  }
  if (type === "reasoning") {
    const signatures = [text(item["encrypted_content"])];
    return { ...none, role: "assistant", text: "", signatures };
  }
  if (type === "item_reference")
    throw new Error("the request refers to an item that is not stored");
  const speaker = role === "assistant" ? role : "user";
  return { ...none, role: speaker, text: text(content), files: filesOf(content) };
}

function filesOf(content: unknown): HeardFile[] {
  return list(content).flatMap((part) => {
    const { type: kind, image_url: image, file_data: data, filename } = fields(part);
    if (kind === "input_image") return [fileOfDataUrl(image)];
    return kind === "input_file" ? [fileOfDataUrl(data, filename)] : [];
  });
}
