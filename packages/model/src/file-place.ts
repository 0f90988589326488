import type { CallView, PromptView } from "./conversation.ts";

// URL paths of a session's files, as lists of segments. The URL of the session comes before these segments.

export function attachmentsPlace({ acceptSeq, promptId }: PromptView): readonly string[] {
  return acceptSeq === null ? broughtAlong : ["prompts", promptId, "attachments"];
}

export function callFilesPlace({ endSeq }: CallView): readonly string[] {
  return endSeq === null ? broughtAlong : ["events", String(endSeq), "files"];
}

/** URL path, below the session's URL, of files that a fork or an import copied. The first event lists all of them. */
const broughtAlong = ["events", "1", "files"];
