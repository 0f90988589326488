import type { CallView, PromptView } from "./conversation.ts";

// Where files are: the parts of an address below their session's.

export function attachmentsPlace({ acceptSeq, promptId }: PromptView): readonly string[] {
  return acceptSeq === null ? broughtAlong : ["prompts", promptId, "attachments"];
}

export function callFilesPlace({ endSeq }: CallView): readonly string[] {
  return endSeq === null ? broughtAlong : ["events", String(endSeq), "files"];
}

/** The first event of a fork or an import names all files that came along with it. */
const broughtAlong = ["events", "1", "files"];
