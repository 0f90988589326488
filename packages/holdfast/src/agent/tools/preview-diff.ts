import { headOfDiff } from "./show-diff.ts";
import type { Diff } from "./show-diff.ts";
import type { PermissionRequest } from "./tool.ts";

/** The fields of a permission request that show a diff to people. */
export type DiffPreview = Pick<PermissionRequest, "preview" | "change" | "whole">;

/**
 * Maximum length of the diff that every client receives with the permission request. The full diff is stored
 * separately.
 */
const maxPreview = 20_000;

/** Returns the first lines of a diff for a permission request, its counts of lines, and the whole diff if it was cut. */
export function previewDiff(diff: Diff): DiffPreview {
  const { added, removed } = diff;
  const { text: preview, omitted } = headOfDiff(diff.text, maxPreview);
  const change = { added, removed, omitted };
  return { preview, change, ...(omitted === 0 ? {} : { whole: diff.text }) };
}
