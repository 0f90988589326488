/**
 * The words of a notification, the same on the page, in the terminal and in push messages. `clear` replaces a
 * push notification that the person no longer needs.
 */
export const noticeWords = {
  en: {
    needsYou: "Needs you",
    finished: "Finished",
    failed: "Failed",
    clear: "Handled on another device",
  },
  zh: { needsYou: "待你处理", finished: "已结束", failed: "失败", clear: "已在其他设备上处理" },
} as const;

/**
 * Event types that can notify people. A client asks the server about each such event, because only the server knows
 * what the person has seen and muted.
 */
const noticeTypes: ReadonlySet<string> = new Set([
  "ask.opened",
  "run.ended",
  "prompt.settled",
  "hold.placed",
]);

export function mayNotify({ type }: { readonly type: string }): boolean {
  return noticeTypes.has(type);
}

/** Milliseconds without input after which the person is assumed to have left the device. */
export const awayAfter = 60_000;

/**
 * Milliseconds to wait before asking the server whether to notify the person. In this time, a device on which the
 * person sees the event marks the event as seen.
 */
const noticeDelay = 1_000;

/**
 * Milliseconds until the server is asked again, if something waits for the person but the quiet hours delay the notice.
 */
const quietDelay = 60_000;

interface NoticeAnswer {
  readonly kind: Exclude<keyof (typeof noticeWords)["en"], "clear"> | null;
  readonly quiet: string | null;
}

/**
 * Asks the server whether to notify the person now, and returns the kind of the notice; null: do not notify. If
 * something waits for the person in the quiet hours, such as a permission request, asks again until the quiet hours end
 * or the person is no longer needed.
 */
export async function noticeKind(options: {
  /** Asks the server whether to notify the person. Resolves with null if the server does not answer. */
  readonly ask: () => Promise<NoticeAnswer | null>;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}): Promise<NoticeAnswer["kind"]> {
  for (let delay = noticeDelay; ; delay = quietDelay) {
    await options.sleep(delay);
    const notice = await options.ask();
    if (notice === null || notice.quiet === null) return notice?.kind ?? null;
    if (notice.quiet !== "quietHours" || notice.kind !== "needsYou") return null;
  }
}
