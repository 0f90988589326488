import { messageViews } from "../../packages/holdfast/src/runtime/views/messages.ts";
import { sessionCursor } from "../../packages/holdfast/src/store/session-list.ts";
import type { Store } from "../../packages/holdfast/src/store/store.ts";
import { drive } from "../measure/drive.ts";
import type { Timed } from "../measure/alternate.ts";
import { endRun, promptRequest, send, startRun } from "../store/lane-commands.ts";
import type { Known } from "./fill.ts";

/** Operations that must not be slower in a large store than in a small one. */
export const flatSeries = ["accept", "start", "outcome", "list", "later page", "open"];

/** Operations that return a page. */
export const pagedSeries = ["list", "later page", "search", "search without a match", "open"];

const pageSize = 50;

/** Runs each common operation of clients and runners once, on one session. */
export async function askAll(
  store: Store,
  about: { known: Known; middle: Known },
): Promise<readonly Timed[]> {
  const { sessionId, promptId } = about.known;
  const views = messageViews(store);
  const request = promptRequest(sessionId);
  const accept = await once("accept", () => send(store, request));
  let handle: Awaited<ReturnType<typeof startRun>> | null = null;
  const start = await once("start", async () => {
    const { lanes } = await store.pending({ limit: pageSize });
    const [lane] = lanes;
    if (lane?.sessionId !== sessionId)
      throw new Error("the lane with the prompt is not ready to start");
    handle = await startRun(store, sessionId);
  });
  if (handle !== null) await endRun(store, sessionId, handle);
  const middle = await store.session(about.middle.sessionId);
  const after = sessionCursor({ updatedAt: middle?.updatedAt ?? 0, ...about.middle });
  return [
    accept,
    start,
    await once("outcome", () => store.prompt(sessionId, promptId)),
    await once("list", () => store.listSessions(list)),
    await once("later page", () => store.listSessions({ ...list, after })),
    await once("open", async () => {
      await store.session(sessionId);
      await views.messages({ sessionId, after: null, limit: pageSize });
    }),
  ];
}

/**
 * Measures searches separately from other operations, because a scan over many sessions evicts everything else from the
 * caches.
 */
export async function searchAll(store: Store): Promise<readonly Timed[]> {
  return [
    await once("search", () => store.listSessions({ ...list, search: "session-7" })),
    await once("search without a match", () =>
      store.listSessions({ ...list, search: "no such words" }),
    ),
  ];
}

const list = { archived: false, limit: pageSize, after: null };

function once(series: string, operation: () => Promise<unknown>): Promise<Timed> {
  return drive({ series, operations: [operation], writers: 1 });
}
