import { setImmediate as nextRound } from "node:timers/promises";
import type { TranscriptBody, TranscriptMessage, TranscriptPage } from "../../agent/message.ts";
import { makeBody } from "../../store/body.ts";
import type { Body } from "../../store/store.ts";

/** Bytes of a page: reading one must not take long, for everything else waits meanwhile. */
const pageBytes = 256 * 1024;

/**
 * Makes the stored form of a transcript and returns the hash of the body that stands for all of it. A short
 * transcript is one body; a long one is stored in pages, so that nobody reads all of it at once. `keep`
 * receives each body as soon as it is complete.
 */
export async function makeTranscript(
  messages: AsyncIterable<TranscriptMessage>,
  keep: (body: Body) => void,
): Promise<string> {
  const pages: TranscriptPage[] = [];
  let texts: string[] = [];
  let length = 0;
  const endPage = (): Body => {
    const body = makeBody(`{"messages":[${texts.join(",")}]}`);
    pages.push({ hash: body.hash, count: texts.length });
    keep(body);
    texts = [];
    length = 0;
    return body;
  };
  for await (const message of messages) {
    const text = JSON.stringify(message);
    if (texts.length > 0 && length + text.length > pageBytes) {
      endPage();
      await nextRound();
    }
    texts.push(text);
    length += text.length;
  }
  const last = endPage();
  if (pages.length === 1) return last.hash;
  const content: TranscriptBody = { pages };
  const whole = makeBody(JSON.stringify(content));
  keep(whole);
  return whole.hash;
}
