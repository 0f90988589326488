import type { CallView, PromptView } from "./conversation.ts";

// Path segments of files, relative to the address of their session.

export function attachmentsPlace({ acceptSeq, promptId }: PromptView): readonly string[] {
  return acceptSeq === null ? broughtAlong : ["prompts", promptId, "attachments"];
}

export function callFilesPlace({ endSeq }: CallView): readonly string[] {
  return endSeq === null ? broughtAlong : ["events", String(endSeq), "files"];
}

/** Path of the files that a fork or an import copied. The session's first event lists all of them. */
const broughtAlong = ["events", "1", "files"];
