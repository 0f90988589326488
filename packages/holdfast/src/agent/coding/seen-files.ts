import { createFold } from "../fold.ts";
import type { Message } from "../message.ts";
import type { ToolExtra } from "../tools/tool.ts";

/** Returns the content hash of each file as the session last saw it, collected from the tool results. */
export function seenFiles(messages: readonly Message[]): ReadonlyMap<string, string> {
  return collectSeenFiles(messages, null);
}

const collectSeenFiles = createFold<Message, null, Map<string, string>>({
  begin: () => new Map(),
  add: (files, message) => {
    if (message.role !== "tool" || !isToolExtra(message.extra)) return;
    for (const { path, hash } of message.extra.seen ?? []) files.set(path, hash);
  },
});

/** True if the value is data that a tool stored with its result. Only tools write it, so any object is accepted. */
function isToolExtra(extra: unknown): extra is ToolExtra {
  return typeof extra === "object" && extra !== null;
}
