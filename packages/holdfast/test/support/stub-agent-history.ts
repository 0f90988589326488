import { readFileSync } from "node:fs";

/** The updates with which the stub agent replays a stored session. */
export function historyIn(path: string): readonly object[] {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const { role, text }: { role: string; text: string } = JSON.parse(line);
    const sessionUpdate = role === "user" ? "user_message_chunk" : "agent_message_chunk";
    return { sessionUpdate, content: { type: "text", text } };
  });
}

/** A history of prompts and answers that Holdfast has not recorded. */
export const otherHistory: readonly object[] = [
  {
    sessionUpdate: "user_message_chunk",
    content: { type: "text", text: "a prompt that Holdfast never sent" },
  },
  {
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "an answer that Holdfast never got" },
  },
  {
    sessionUpdate: "tool_call",
    toolCallId: "foreign",
    title: "rm -rf",
    kind: "execute",
    status: "in_progress",
  },
];

/**
 * Returns the lines of a prompt that the agent carries out. It does not repeat the old prompts of a transcript,
 * and it repeats the request of a continuation only in the modes "other history" and "repeats".
 */
export function instructions(text: string, mode: ReadonlySet<string>): readonly string[] {
  const repeats = mode.has("other history") || mode.has("repeats");
  const current = text.split("</transcript>").at(-1) ?? "";
  const done = repeats ? current : current.replaceAll(/<request>[^]*<\/request>/g, "");
  return done.split("\n");
}
