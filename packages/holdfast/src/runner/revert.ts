import { unlink } from "node:fs/promises";
import type { IntentBody, ToolBody } from "../agent/message.ts";
import { hashOf, putFile, readWhole } from "../agent/tools/files.ts";
import type { FileContent } from "../agent/tools/files.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { StoreReader } from "../store/store.ts";
import { readBody } from "./conversation.ts";

/** A file as it was before a run first changed it, and as it is now. */
export interface RevertedFile {
  readonly path: string;
  /** Null where the run made the file: undoing that removes it. */
  readonly before: Uint8Array | null;
  readonly now: FileContent | null;
  /** Somebody has changed it since the run did: undoing the run would undo that as well. */
  readonly changedSince: boolean;
}

const pageSize = 500;
const maxBytes = 1 << 30;

/** What undoing a run's changes to files would do. Only what tools said beforehand is known. */
export async function planRevert(
  store: StoreReader,
  target: { sessionId: string; runId: string },
): Promise<readonly RevertedFile[]> {
  const first = new Map<string, string | null>();
  const last = new Map<string, string>();
  for await (const event of eventsOf(store, target)) {
    if (event.type === "tool.started") {
      const intent = await readBody<IntentBody>(store, event.body);
      for (const { path, before } of intent?.files ?? []) {
        if (!first.has(path)) first.set(path, before);
      }
    }
    if (event.type === "tool.ended") {
      const body = await readBody<ToolBody>(store, event.body);
      for (const { path, hash } of seenOf(body?.extra)) last.set(path, hash);
    }
  }
  return Promise.all(
    [...first].map(async ([path, hash]) => {
      const before = hash === null ? null : await store.body(hash);
      const now = await readWhole(path, maxBytes);
      const left = last.get(path) ?? null;
      const untouched = before === null ? now === null : now?.hash === hashOf(before);
      return { path, before, now, changedSince: !untouched && (now?.hash ?? null) !== left };
    }),
  );
}

/** Puts the files back. Each is replaced as a whole, and only as it was when the plan was made. */
export async function applyRevert(files: readonly RevertedFile[]): Promise<void> {
  for (const { path, before, now } of files) {
    if (before !== null) await putFile({ path, bytes: before, before: now });
    else if (now !== null) await unlink(path);
  }
}

async function* eventsOf(
  store: StoreReader,
  target: { sessionId: string; runId: string },
): AsyncGenerator<LaneEvent> {
  const { sessionId, runId } = target;
  for (let after = 0; ;) {
    const events = await store.events(sessionId, { after, limit: pageSize });
    for (const event of events) if ("runId" in event && event.runId === runId) yield event;
    const end = events.at(-1);
    if (end === undefined || events.length < pageSize) return;
    after = end.seq;
  }
}

/** A tool's own remark about files that it saw or wrote; other tools keep other things there. */
function seenOf(extra: unknown): { path: string; hash: string }[] {
  if (typeof extra !== "object" || extra === null || !("seen" in extra)) return [];
  if (!Array.isArray(extra.seen)) return [];
  return extra.seen.flatMap((item: unknown) =>
    typeof item === "object" &&
    item !== null &&
    "path" in item &&
    "hash" in item &&
    typeof item.path === "string" &&
    typeof item.hash === "string"
      ? [{ path: item.path, hash: item.hash }]
      : [],
  );
}
