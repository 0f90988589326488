import assert from "node:assert/strict";
import { test } from "node:test";
import type { Holdfast, WireEvent } from "@holdfast/sdk";
import { Notifier } from "../src/notification.ts";

/** A terminal with the session `main` on the screen. Its clock advances only when the test moves it. */
function openTerminal(options: { asking?: readonly string[] } = {}) {
  const seen: string[] = [];
  const written: string[] = [];
  const asked: string[] = [];
  let now = 0;
  const session = (sessionId: string) => ({
    markSeen: async () => void seen.push(sessionId),
    notice: async (seq: number) => {
      asked.push(`${sessionId} ${seq}`);
      return { kind: "needsYou", quiet: null };
    },
  });
  const client = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the notifier calls only these methods
    holdfast: { session } as unknown as Holdfast,
    view: { handle: { sessionId: "main" } },
    asks: (options.asking ?? []).map((sessionId) => ({ sessionId })),
    isClosed: false,
    options: { output: { write: (text: string) => void written.push(text) } },
  };
  const notifier = new Notifier(client, { now: () => now, sleep: async () => {} });
  return {
    notifier,
    seen,
    written,
    asked,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

function opened(sessionId: string): WireEvent {
  const content = { question: "May I?" };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the notifier reads only these fields
  return { type: "ask.opened", sessionId, seq: 8, content } as unknown as WireEvent;
}

test("an event in the first minute after a key is marked as seen and does not ring", async () => {
  const { notifier, seen, written, asked, pass } = openTerminal();
  pass(59_000);
  notifier.noteKey();
  pass(59_000);
  await notifier.announce(opened("main"));
  assert.deepEqual([seen, asked, written], [["main"], [], []]);
});

test("an event that arrives a minute after the last key rings, although the window has the focus", async () => {
  const { notifier, seen, written, asked, pass } = openTerminal();
  pass(60_000);
  await notifier.announce(opened("main"));
  assert.deepEqual([seen, asked, written.length], [[], ["main 8"], 1]);
  assert.match(written[0] ?? "", /Needs you: May I\?/);
});

test("the first key after a minute marks the session and its sub-agents with requests as seen", () => {
  const { notifier, seen, pass } = openTerminal({ asking: ["child", "child", "main"] });
  notifier.noteKey();
  assert.deepEqual(seen, []);
  pass(60_000);
  notifier.noteKey();
  assert.deepEqual(seen, ["main", "child"]);
});

test("a window that gets the focus marks the open session as seen; one without the focus does not", async () => {
  const { notifier, seen, written, pass } = openTerminal();
  notifier.setFocus(false);
  notifier.noteKey();
  notifier.markShown();
  await notifier.announce(opened("child"));
  assert.deepEqual([seen, written.length], [[], 1]);
  pass(3_600_000);
  notifier.setFocus(true);
  assert.deepEqual(seen, ["main"]);
});

test("a person who comes back while the server is asked is not notified", async () => {
  const { notifier, written } = openTerminal();
  notifier.setFocus(false);
  const announced = notifier.announce(opened("main"));
  notifier.setFocus(true);
  await announced;
  assert.deepEqual(written, []);
});
