import { readStored, writeStored } from "../../state/storage.ts";

/** A comment on a line that the user is typing and has not added yet. */
export interface CommentDraft {
  /** The line of the file for which the comment form is open; null if no form is open. */
  readonly line: string | null;
  readonly text: string;
}

type Stored = Readonly<Record<string, CommentDraft>>;

/** Drafts of this tab by session and path. The list removes files that are scrolled out of view. */
const drafts = new Map<string, CommentDraft>();

/** Returns the half-written comment on a file. It is stored beside the comments of the session. */
export function commentDraftOf(sessionId: string, path: string): CommentDraft {
  const known = drafts.get(`${sessionId} ${path}`) ?? stored(sessionId)[path];
  return known ?? { line: null, text: "" };
}

export function keepCommentDraft(sessionId: string, path: string, draft: CommentDraft): void {
  drafts.set(`${sessionId} ${path}`, draft);
  // Another tab may have stored drafts for other files, so read them again.
  const { [path]: before, ...others } = stored(sessionId);
  if (before === undefined && draft.text === "") return;
  const all = draft.text === "" ? others : { ...others, [path]: draft };
  writeStored(nameOf(sessionId), Object.keys(all).length === 0 ? null : all);
}

/** Returns the paths of the files with a stored draft. */
export function pathsWithDraft(sessionId: string): readonly string[] {
  return Object.keys(stored(sessionId));
}

function stored(sessionId: string): Stored {
  return readStored<Stored>(nameOf(sessionId), {});
}

function nameOf(sessionId: string): string {
  return `commentDrafts.${sessionId}`;
}
