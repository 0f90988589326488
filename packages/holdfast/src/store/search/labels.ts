import { createHash } from "node:crypto";

// Labels are extra terms in the index, so that the index itself applies the filters of a search. A word never starts
// with an underscore, so no label equals a word. Labels are hashes, so callers must also compare the real values of the
// texts that they get.

/** Kinds of indexed texts. */
export type TextKind = "title" | "prompt" | "answer" | "toolCall" | "toolResult";

export function kindLabel(kind: TextKind): string {
  return `_k${kind.toLowerCase()}`;
}

export function sessionLabel(sessionId: string): string {
  return `_s${digest(sessionId)}`;
}

/**
 * Returns the search label of a directory. Each indexed text of a session in this directory or below it has this label.
 */
export function directoryLabel(directory: string): string {
  return `_d${digest(withoutSeparator(directory))}`;
}

/** Returns the labels of a directory and of all its parents. */
export function directoryLabels(directory: string): string[] {
  const separator = directory.startsWith("/") ? "/" : "\\";
  const parts = withoutSeparator(directory).split(separator);
  return parts.map((_, index) => directoryLabel(parts.slice(0, index + 1).join(separator)));
}

/** Removes a final separator. The root directory becomes an empty string. */
function withoutSeparator(directory: string): string {
  return directory.replace(directory.startsWith("/") ? /\/+$/ : /\\+$/, "");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
