// Shows push messages as notifications. Stores and caches nothing, and answers no requests of the page.

// The same words as in packages/model/src/notice-words.ts; a test compares them.
const words = {
  en: { needsYou: "Needs you", finished: "Finished", failed: "Failed", test: "Notifications work" },
  zh: { needsYou: "待你处理", finished: "已结束", failed: "失败", test: "通知已可用" },
};

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("push", (event) => event.waitUntil(receive(event.data)));

async function receive(data) {
  const { kind, sessionId, seq, language } = data.json();
  const tag = sessionId ?? "test";
  if (kind === "clear") {
    for (const shown of await registration.getNotifications({ tag })) {
      if (shown.data.seq <= seq) shown.close();
    }
    return;
  }
  const title = words[language]?.[kind] ?? words.en[kind];
  await registration.showNotification(title, {
    tag,
    icon: "/icon-192.png",
    data: { sessionId, seq },
  });
}

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.sessionId));
});

/** Shows the session in an open page of Holdfast, or in a new one. */
async function open(sessionId) {
  const path = sessionId === null ? "/" : `/sessions/${encodeURIComponent(sessionId)}`;
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ url }) => new URL(url).pathname === path) ?? pages[0];
  if (page === undefined) {
    await clients.openWindow(path);
    return;
  }
  await page.focus();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client of a worker has no such argument
  page.postMessage({ openSession: sessionId });
}
