import type { Notice } from "@holdfast/sdk";

/** Groups the notices of a file by line. */
export function noticesByLine(
  notices: readonly Notice[],
  file: string,
): ReadonlyMap<number, readonly Notice[]> {
  const found = new Map<number, Notice[]>();
  for (const notice of notices) {
    if (notice.line === null || (notice.file !== null && notice.file !== file)) continue;
    found.set(notice.line, [...(found.get(notice.line) ?? []), notice]);
  }
  return found;
}
