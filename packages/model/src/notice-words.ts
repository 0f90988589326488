/** The words of a notification, the same on the page, in the terminal and in push messages. */
export const noticeWords = {
  en: { needsYou: "Needs you", finished: "Finished", failed: "Failed" },
  zh: { needsYou: "待你处理", finished: "已结束", failed: "失败" },
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

/**
 * Milliseconds to wait before asking the server. In this time, a device on which the person sees the event marks it as
 * seen.
 */
export const noticeDelay = 1_000;
