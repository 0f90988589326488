import type { PermissionRequest } from "../tools/tool.ts";

/** A permission request in the form that clients show to people. */
export interface ShownRequest {
  /** The part that every client receives with the request. */
  readonly permission: Omit<PermissionRequest, "reads" | "readOnly" | "whole">;
  /** The whole preview, if the one in `permission` is cut. It is sent only to clients that request it. */
  readonly preview?: string;
}

/** Maximum length of a preview that is not a diff, below the length at which the event stream cuts a text. */
const maxPreview = 60_000;
/** Maximum length of the subject in the question. The preview contains a long command as a whole. */
const maxSubject = 2_000;

/**
 * Returns the part of a permission request that is for people. Cuts long texts and counts what is left out, so that no
 * client shows the beginning of a command as if it were the whole command.
 */
export function shownRequest(request: PermissionRequest): ShownRequest {
  const { reads: _, readOnly: __, whole, ...rest } = request;
  const isLong = rest.subject.length > maxSubject;
  const subject = isLong ? `${headOf(rest.subject, maxSubject)} …` : rest.subject;
  const permission = { ...rest, subject };
  if (whole !== undefined) return { permission, preview: whole };
  if (rest.preview.length <= maxPreview) return { permission };
  const preview = headOf(rest.preview, maxPreview);
  const omittedCharacters = rest.preview.length - preview.length;
  return { permission: { ...permission, preview, omittedCharacters }, preview: rest.preview };
}

/** Returns the beginning of a text without splitting a character. */
function headOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
