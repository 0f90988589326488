import { isUtf8 } from "node:buffer";
import { setImmediate as nextRound } from "node:timers/promises";
import type { LedgerRow } from "../../kernel/ledger.ts";
import type { Body, StoreReader } from "../../store/store.ts";
import { logOf } from "../../log/session-log.ts";
import { bodiesNamedIn, namesOthers } from "../../log/bodies.ts";
import { bodiesNamedBy } from "../../kernel/event-table.ts";
import type { NamedBody } from "../../kernel/event-table.ts";
import { programVersion } from "../../base/package.ts";
import type { TranscriptBody, TranscriptMessage, TranscriptPage } from "../../agent/message.ts";
import { makeBody } from "../../store/body.ts";

/** Number of characters after which an export pauses for other work. */
const pauseAfter = 256 * 1024;

/** First fields of every exported document. */
export const documentFormat = { format: "holdfast-session", version: 1 } as const;

/** One piece of content in a document: readable text if possible, otherwise base64. */
export type DocumentBody = { readonly text: string } | { readonly base64: string };

/** Yields a session as one JSON document, in pieces, because a long document may not fit into memory. */
export async function* exportPieces(
  reader: StoreReader,
  sessionId: string,
): AsyncGenerator<string> {
  // Read the end of the log first: events added later are left out. Ledger rows may be newer than this end.
  const state = await reader.lane(sessionId);
  const end = state?.seq ?? 0;
  const head = { ...documentFormat, program: programVersion(), sessionId, state };
  yield `${JSON.stringify(head, withoutLimits).slice(0, -1)},\n"events":[\n`;
  const bodies = new Map<string, NamedBody>();
  const add = (named: NamedBody): void => {
    // The same bytes can be stored as several kinds, for example if a prompt and a file have equal content. Export the
    // bytes as one kind only: preferably a kind whose content refers to other content, such as attachments.
    const known = bodies.get(named.hash);
    if (known === undefined || !namesOthers(known.kind)) bodies.set(named.hash, named);
  };
  let separator = "";
  for await (const event of logOf(reader, sessionId)) {
    if (event.seq > end) break;
    bodiesNamedBy(event).forEach(add);
    yield `${separator}${JSON.stringify(event, withoutLimits)}`;
    separator = ",\n";
    if (event.seq % 100 === 0) await nextRound();
  }
  yield `],\n"prompts":[\n`;
  separator = "";
  for await (const row of ledgerOf(reader, sessionId)) {
    if (row.acceptSeq > end) break;
    yield `${separator}${JSON.stringify(row)}`;
    separator = ",\n";
  }
  yield `],\n"bodies":{\n`;
  separator = "";
  let sent = 0;
  // The loop also visits entries that are added to the map during the iteration.
  for (const [hash, named] of bodies) {
    const content = await reader.body(hash);
    if (content === null) continue;
    yield `${separator}${JSON.stringify(hash)}:`;
    separator = ",\n";
    for (const piece of encode(content)) {
      yield piece;
      // Pause from time to time: with a fast reader this loop would leave no time for other work.
      sent += piece.length;
      if (sent < pauseAfter) continue;
      sent = 0;
      await nextRound();
    }
    bodiesNamedIn(named, content).forEach(add);
  }
  yield "}}\n";
}

/** A replacer for JSON.stringify that leaves out the directory limits of senders: other servers cannot use them. */
function withoutLimits(key: string, value: unknown): unknown {
  return key === "directories" ? undefined : value;
}

/** Reads a session's ledger in pages. */
async function* ledgerOf(reader: StoreReader, sessionId: string): AsyncGenerator<LedgerRow> {
  const limit = 500;
  for (let after = 0; ;) {
    const rows = await reader.prompts(sessionId, { after, limit });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = last.acceptSeq;
  }
}

/** Yields a DocumentBody as JSON; a large one in several pieces. */
function* encode(content: Uint8Array): Generator<string> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (!isUtf8(bytes)) {
    yield '{"base64":"';
    // Encode pieces of whole 3-byte groups, so that only the last piece is padded.
    for (let at = 0; at < bytes.length; at += 3 * 65_536) {
      yield bytes.toString("base64", at, at + 3 * 65_536);
    }
    yield '"}';
    return;
  }
  const text = bytes.toString("utf8");
  yield '{"text":"';
  // If a surrogate pair is split, each half is written as an escape, which has the same meaning.
  for (let at = 0; at < text.length; at += pauseAfter) {
    yield JSON.stringify(text.slice(at, at + pauseAfter)).slice(1, -1);
  }
  yield '"}';
}

/** Page size of a stored transcript in bytes. Reading a page blocks all other work, so it must be quick. */
const pageBytes = 256 * 1024;

/**
 * Stores a transcript through `keep` and returns its hash. A short transcript is stored in one piece. A long one is
 * stored in pages, so that it is never read as a whole. `keep` is called with each piece as soon as it is complete.
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
