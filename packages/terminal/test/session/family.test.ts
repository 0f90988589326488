import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import type { FeedItem, Holdfast, SessionDetail } from "@holdfast/sdk";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { Family } from "../../src/session/family.ts";

const asks = () => Promise.resolve({ items: [{ sessionId: "child" }, { sessionId: "other" }] });

test("a sub-agent that starts while its parent is being read is a member, and its ask is shown, announced and marked as seen", async (t) => {
  const rootRead = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const shown = Promise.withResolvers<void>();
  const announced: string[] = [];
  const seen: string[] = [];
  async function* events(): AsyncGenerator<FeedItem> {
    await rootRead.promise;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the family reads only these fields
    yield { type: "child.linked", sessionId: "root", childSessionId: "child" } as FeedItem;
    for (const sessionId of ["root", "other", "child"]) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      yield { type: "ask.opened", sessionId, askId: "ask" } as FeedItem;
    }
    // The server read the parent before the child was linked, but its answer arrives after the event.
    answer.resolve();
    await shown.promise;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    yield { type: "ask.closed", sessionId: "child", askId: "ask" } as FeedItem;
  }
  const session = (sessionId: string) => ({
    get: async () => {
      if (sessionId === "root") {
        rootRead.resolve();
        await answer.promise;
      }
      const openAsks = sessionId === "child" ? 1 : 0;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      return {
        sessionId,
        openAsks,
        active: null,
        background: [],
        status: "asking",
      } as unknown as SessionDetail;
    },
    asks: () => Promise.resolve({ items: [{ askId: "ask", sessionId }] }),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const family = new Family({ events, session, asks } as unknown as Holdfast, {
    changed: () => {
      if (family.asks.length > 0) shown.resolve();
    },
    notifier: {
      announce: async ({ type, sessionId }) => void announced.push(`${type} ${sessionId}`),
      markSeen: (sessionId) => void seen.push(sessionId),
    },
  });
  t.after(() => family.close());
  family.setRoot("root");
  const late = setTimeout(() => shown.reject(new Error("the ask was not shown in 20 s")), 20_000);
  await shown.promise;
  clearTimeout(late);
  assert.deepEqual(
    [family.members.map(({ detail }) => detail.sessionId), family.othersAsking],
    [["child"], 1],
  );
  await setImmediate();
  assert.deepEqual(family.asks, []);
  // The view of the root session announces the root's events.
  assert.deepEqual([announced, seen], [["ask.opened child", "ask.closed child"], ["child"]]);
  // A read that was scheduled for the previous root session adds no members after the root has changed.
  family.setRoot("root");
  family.setRoot(null);
  await delay(300);
  assert.deepEqual([family.members, family.asks], [[], []]);
});

const child = (sessionId: string) => ({ sessionId, promptId: "p", outcome: null });

test("after a restored backup only the sub-agents and asks of the backup are shown (T2)", async (t) => {
  const restored = Promise.withResolvers<void>();
  let isRestored = false;
  async function* events(): AsyncGenerator<FeedItem> {
    yield { type: "live", cursor: "9" };
    await restored.promise;
    isRestored = true;
    yield { type: "reset", cursor: "5" };
    yield { type: "live", cursor: "5" };
    yield await new Promise<never>(() => {});
  }
  const active = () => ({ kind: "run", children: isRestored ? [] : [child("child")] });
  const session = (sessionId: string) => ({
    get: async () => {
      const isRoot = sessionId === "root";
      const state = { sessionId, background: [], openAsks: isRoot ? 0 : 1, status: "asking" };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      return { ...state, active: isRoot ? active() : null } as unknown as SessionDetail;
    },
    asks: async () => ({ items: [{ askId: "ask", sessionId }] }),
  });
  const allAsks = async () => ({ items: isRestored ? [] : [child("child"), child("other")] });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const family = new Family({ events, session, asks: allAsks } as unknown as Holdfast, {
    changed() {},
    notifier: { announce: async () => {}, markSeen() {} },
  });
  t.after(() => family.close());
  family.setRoot("root");
  const shown = () => [family.members.length, family.asks.length, family.othersAsking];
  const both = { describe: "the child, its ask and the other session" };
  await waitFor(() => shown().join() === "1,1,1", both);
  restored.resolve();
  await waitFor(() => shown().join() === "0,0,0", { describe: "the backup" });
});
