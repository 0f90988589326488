import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { noticeWords } from "@holdfast/model/notice-words.ts";

const script = readFileSync(join(import.meta.dirname, "../public/push-worker.js"), "utf8");

interface Shown {
  readonly title: string;
  readonly tag: string;
  readonly silent: boolean;
  readonly data: {
    readonly kind: string;
    readonly sessionId: string | null;
    readonly seq: number | null;
  };
}

/** A window of the browser that has the page open. */
interface OpenPage {
  readonly url: string;
  readonly done: unknown[];
}

/** Runs the worker with the parts of a browser that it uses. */
function openWorker(pages: readonly OpenPage[] = []) {
  const listeners = new Map<string, (event: object) => void>();
  let shown: Shown[] = [];
  const opened: string[] = [];
  const subscribed: unknown[] = [];
  /** Number of notifications that were shown, even if they replaced another one. */
  let count = 0;
  const context = createContext({
    URL,
    encodeURIComponent,
    addEventListener: (type: string, listener: (event: object) => void) =>
      listeners.set(type, listener),
    registration: {
      getNotifications: async () =>
        shown.map((each) => ({
          ...each,
          close: () => {
            shown = shown.filter((other) => other !== each);
          },
        })),
      showNotification: async (title: string, { tag, silent, data }: Omit<Shown, "title">) => {
        count += 1;
        const others = shown.filter((each) => each.tag !== tag);
        shown = [...others, { title, tag, silent, data: { ...data } }];
      },
      pushManager: { subscribe: async (options: unknown) => subscribed.push(options) },
    },
    clients: {
      matchAll: async () =>
        pages.map(({ url, done }) => ({
          url,
          focus: async () => done.push("focus"),
          postMessage: (message: object) => done.push({ ...message }),
        })),
      openWindow: async (path: string) => opened.push(path),
    },
  });
  runInContext(script, context);
  const dispatch = async (type: string, event: object): Promise<void> => {
    const work: Promise<unknown>[] = [];
    const waitUntil = (each: Promise<unknown>): void => void work.push(each);
    listeners.get(type)?.({ ...event, waitUntil });
    await Promise.all(work);
  };
  return {
    opened,
    subscribed,
    shown: () => shown,
    count: () => count,
    change: (event: object) => dispatch("pushsubscriptionchange", event),
    push: (message: object) => dispatch("push", { data: { json: () => message } }),
    click: (data: Shown["data"]) =>
      dispatch("notificationclick", { notification: { data, close: () => {} } }),
  };
}

test("a push message shows the words of its kind, once for each session", async () => {
  for (const language of ["en", "zh"] as const) {
    for (const kind of ["needsYou", "finished", "failed"] as const) {
      const worker = openWorker();
      await worker.push({ kind, sessionId: "main", seq: 1, language });
      await worker.push({ kind, sessionId: "main", seq: 2, language });
      const data = { kind, sessionId: "main", seq: 2 };
      const title = noticeWords[language][kind];
      assert.deepEqual(worker.shown(), [{ title, tag: "main", silent: false, data }]);
    }
  }
});

test("a clear message silently replaces the notification of its session, and that of an earlier clear message", async () => {
  for (const language of ["en", "zh"] as const) {
    const worker = openWorker();
    const clear = noticeWords[language].clear;
    await worker.push({ kind: "needsYou", sessionId: "main", seq: 5, language });
    await worker.push({ kind: "finished", sessionId: "other", seq: 3, language });
    await worker.push({ kind: "clear", sessionId: "main", seq: 5, language });
    const titles = (): string[] => worker.shown().map(({ title }) => title);
    assert.deepEqual(titles(), [noticeWords[language].finished, clear]);
    await worker.push({ kind: "clear", sessionId: "other", seq: 3, language });
    const data = { kind: "clear", sessionId: "other", seq: 3 };
    assert.deepEqual(worker.shown(), [{ title: clear, tag: "other", silent: true, data }]);
    await worker.push({ kind: "failed", sessionId: "other", seq: 9, language });
    assert.deepEqual(titles(), [noticeWords[language].failed]);
  }
});

test("a clear message about an earlier event silently shows the newer notification again", async () => {
  const worker = openWorker();
  await worker.push({ kind: "needsYou", sessionId: "main", seq: 5, language: "en" });
  await worker.push({ kind: "clear", sessionId: "main", seq: 4, language: "en" });
  const data = { kind: "needsYou", sessionId: "main", seq: 5 };
  const title = noticeWords.en.needsYou;
  assert.deepEqual(worker.shown(), [{ title, tag: "main", silent: true, data }]);
  assert.equal(worker.count(), 2);
});

test("every push message shows a notification, as the subscription has promised", async () => {
  const worker = openWorker();
  const kinds = ["clear", "needsYou", "clear", "clear", "test", "finished", "failed", "clear"];
  for (const [index, kind] of kinds.entries()) {
    const sessionId = kind === "test" ? null : "main";
    await worker.push({ kind, sessionId, seq: index, language: "en" });
    assert.equal(worker.count(), index + 1);
  }
});

test("a subscription that the browser ends is made again, and open pages tell the server", async () => {
  const page: OpenPage = { url: "https://holdfast.example.org/", done: [] };
  const worker = openWorker([page]);
  const options = { userVisibleOnly: true };
  await worker.change({ oldSubscription: { options }, newSubscription: null });
  assert.deepEqual([worker.subscribed, page.done], [[options], [{ renewPush: true }]]);
  await worker.change({ oldSubscription: { options }, newSubscription: { options } });
  await worker.change({ oldSubscription: null, newSubscription: null });
  assert.deepEqual([worker.subscribed.length, page.done.length], [1, 3]);
});

test("a click opens the session in a page that is open, or in a new one", async () => {
  const alone = openWorker();
  await alone.click({ kind: "finished", sessionId: "a/b", seq: 1 });
  assert.deepEqual(alone.opened, ["/sessions/a%2Fb"]);
  const [first, second]: [OpenPage, OpenPage] = [
    { url: "https://holdfast.example.org/settings/look", done: [] },
    { url: "https://holdfast.example.org/sessions/main", done: [] },
  ];
  const worker = openWorker([first, second]);
  await worker.click({ kind: "finished", sessionId: "main", seq: 1 });
  await worker.click({ kind: "finished", sessionId: "other", seq: 1 });
  assert.deepEqual(second.done, ["focus", { openSession: "main" }]);
  assert.deepEqual(first.done, ["focus", { openSession: "other" }]);
  assert.deepEqual(worker.opened, []);
});

test("the worker answers no requests of the page and stores nothing", () => {
  assert.doesNotMatch(script, /"fetch"|caches\.|indexedDB|localStorage|importScripts/);
});
