import type { Notice } from "@holdfast/sdk";

/** The notices in what a refusal says beside its message; null where it has none. */
export function noticesIn(details: unknown): readonly Notice[] | null {
  if (typeof details !== "object" || details === null || !("notices" in details)) return null;
  const { notices } = details;
  return Array.isArray(notices) ? notices.filter(isNotice) : null;
}

function isNotice(value: unknown): value is Notice {
  return typeof value === "object" && value !== null && "message" in value && "severity" in value;
}

/** What is wrong on each line of a file. */
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
