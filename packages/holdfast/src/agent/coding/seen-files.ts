import { createFold } from "../fold.ts";
import type { Message } from "../message.ts";
import type { ToolExtra } from "../tools/tool.ts";

/** The hash of each file's content as the session last saw it, by the results that it has had. */
export function seenFiles(messages: readonly Message[]): ReadonlyMap<string, string> {
  return look(messages, null);
}

const look = createFold<Message, null, Map<string, string>>({
  begin: () => new Map(),
  add: (files, message) => {
    if (message.role !== "tool" || !isToolExtra(message.extra)) return;
    for (const { path, hash } of message.extra.seen ?? []) files.set(path, hash);
  },
});

/** Tools write it, the log keeps it: an object, or nothing. */
function isToolExtra(extra: unknown): extra is ToolExtra {
  return typeof extra === "object" && extra !== null;
}
