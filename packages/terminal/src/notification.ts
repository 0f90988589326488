import type { SessionHandle, WireEvent } from "@holdfast/sdk";
import { mayNotify, noticeKind, noticeWords } from "@holdfast/model/notice-words.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { oneLine } from "./screen/text.ts";

interface Terminal {
  readonly isFocused: boolean;
  readonly isClosed: boolean;
  readonly options: { readonly output: { write(text: string): void } };
}

/**
 * Notifies the person about an event if the window has no focus and the server agrees. The server does not agree if the
 * event was seen on another device, if the session is muted, or in quiet hours. If the window has the focus, marks the
 * event as seen.
 */
export async function announce(
  event: WireEvent,
  { terminal, session }: { terminal: Terminal; session: SessionHandle },
): Promise<void> {
  if (!mayNotify(event)) return;
  if (terminal.isFocused) {
    await session.markSeen(event.seq).catch(ignore);
    return;
  }
  const kind = await noticeKind({
    ask: async () => (terminal.isClosed ? null : session.notice(event.seq).catch(ignore)),
    sleep: (milliseconds) => sleep(milliseconds, undefined, { ref: false }),
  });
  if (kind === null) return;
  const question = event.type === "ask.opened" ? (event.content?.question ?? null) : null;
  const words = noticeWords.en[kind];
  const text = question === null ? words : `${words}: ${question}`;
  if (!terminal.isClosed && !terminal.isFocused) terminal.options.output.write(bell(text));
}

/** Ignores an error: if the server does not answer, the user gets no desktop notification. */
function ignore(): null {
  return null;
}

/** Returns the control sequences of the bell and of a desktop notification in two forms (OSC 9 and 777). */
function bell(text: string): string {
  const title = oneLine(text).replaceAll(";", ",");
  return `\u0007\u001b]9;${title}\u0007\u001b]777;notify;Holdfast;${title}\u0007`;
}
