// Shows push messages as notifications. Stores and caches nothing, and answers no requests of the page.

// The same words as in packages/model/src/notice-words.ts; a test compares them.
const words = {
  en: {
    needsYou: "Needs you",
    finished: "Finished",
    failed: "Failed",
    clear: "Handled on another device",
    test: "Notifications work",
  },
  zh: {
    needsYou: "待你处理",
    finished: "已结束",
    failed: "失败",
    clear: "已在其他设备上处理",
    test: "通知已可用",
  },
};

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("push", (event) => event.waitUntil(receive(event.data)));

// The page promises the browser that every push message shows a notification (userVisibleOnly). A browser ends the
// subscription, or shows a notification of its own, if a message shows nothing. So a notification is never just closed.
async function receive(data) {
  const { kind, sessionId, seq, language } = data.json();
  const title = words[language]?.[kind] ?? words.en[kind];
  const notice = { title, kind, sessionId, seq };
  if (kind === "clear") await clear(notice);
  else await show(notice, { silent: false });
}

/**
 * Replaces the notification of a session by a silent one, which says that it was handled on another device. At most one
 * such notification stays on the screen. A notification about a newer event is shown again as it is.
 */
async function clear(notice) {
  const all = await registration.getNotifications();
  const newer = all.find(({ tag, data }) => tag === notice.sessionId && data.seq > notice.seq);
  await show(newer === undefined ? notice : { title: newer.title, ...newer.data }, {
    silent: true,
  });
  for (const each of all) {
    if (each.data.kind === "clear" && each.tag !== notice.sessionId) each.close();
  }
}

async function show({ title, kind, sessionId, seq }, { silent }) {
  await registration.showNotification(title, {
    tag: sessionId ?? "test",
    icon: "/icon-192.png",
    silent,
    data: { kind, sessionId, seq },
  });
}

addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

/**
 * Subscribes again if the browser has ended the subscription. Only a page can tell the server, because only a page can
 * read the sign-in key: pages that are open do it now, otherwise the next page that is opened does it.
 */
async function renew({ oldSubscription, newSubscription }) {
  if (!newSubscription && oldSubscription) {
    await registration.pushManager.subscribe(oldSubscription.options);
  }
  for (const page of await clients.matchAll({ type: "window", includeUncontrolled: true })) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client of a worker has no such argument
    page.postMessage({ renewPush: true });
  }
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
