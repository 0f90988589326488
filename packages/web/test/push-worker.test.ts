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
  readonly data: { readonly sessionId: string | null; readonly seq: number | null };
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
  const context = createContext({
    URL,
    encodeURIComponent,
    addEventListener: (type: string, listener: (event: object) => void) =>
      listeners.set(type, listener),
    registration: {
      getNotifications: async ({ tag }: { tag: string }) =>
        shown
          .filter((each) => each.tag === tag)
          .map((each) => ({
            data: each.data,
            close: () => {
              shown = shown.filter((other) => other !== each);
            },
          })),
      showNotification: async (title: string, { tag, data }: Omit<Shown, "title">) => {
        shown = [...shown.filter((each) => each.tag !== tag), { title, tag, data: { ...data } }];
      },
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
    shown: () => shown,
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
      const data = { sessionId: "main", seq: 2 };
      assert.deepEqual(worker.shown(), [{ title: noticeWords[language][kind], tag: "main", data }]);
    }
  }
});

test("a clear message removes the notification of its session, but not a newer one", async () => {
  const worker = openWorker();
  await worker.push({ kind: "needsYou", sessionId: "main", seq: 5, language: "en" });
  await worker.push({ kind: "finished", sessionId: "other", seq: 3, language: "en" });
  await worker.push({ kind: "clear", sessionId: "main", seq: 4, language: "en" });
  assert.equal(worker.shown().length, 2);
  await worker.push({ kind: "clear", sessionId: "main", seq: 6, language: "en" });
  assert.deepEqual(
    worker.shown().map(({ tag }) => tag),
    ["other"],
  );
});

test("a click opens the session in a page that is open, or in a new one", async () => {
  const alone = openWorker();
  await alone.click({ sessionId: "a/b", seq: 1 });
  assert.deepEqual(alone.opened, ["/sessions/a%2Fb"]);
  const [first, second]: [OpenPage, OpenPage] = [
    { url: "https://holdfast.example.org/settings/look", done: [] },
    { url: "https://holdfast.example.org/sessions/main", done: [] },
  ];
  const worker = openWorker([first, second]);
  await worker.click({ sessionId: "main", seq: 1 });
  await worker.click({ sessionId: "other", seq: 1 });
  assert.deepEqual(second.done, ["focus", { openSession: "main" }]);
  assert.deepEqual(first.done, ["focus", { openSession: "other" }]);
  assert.deepEqual(worker.opened, []);
});

test("the worker answers no requests of the page and stores nothing", () => {
  assert.doesNotMatch(script, /"fetch"|caches\.|indexedDB|localStorage|importScripts/);
});
