import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Holdfast, SessionHandle } from "@holdfast/sdk";
import type { Page } from "playwright-core";
import { createDevice, startPushService } from "../../holdfast/test/server/push/device.ts";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";

/** Replaces the browser's push service and notifications, which a headless browser does not have. Survives a reload. */
function fakePush(options: { origin: string; keys: object }): string {
  return `
    const { origin, keys } = ${JSON.stringify(options)};
    const path = () => localStorage.getItem("test.push");
    const subscription = {
      get endpoint() { return origin + path(); },
      toJSON: () => ({ endpoint: origin + path(), keys }),
      unsubscribe: async () => { localStorage.removeItem("test.push"); return true; },
    };
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || applicationServerKey.length !== 87) throw new Error("bad options");
      localStorage.setItem("test.push", "/first");
      return subscription;
    };
    ServiceWorkerRegistration.prototype.getNotifications = async ({ tag }) => [
      { close: () => localStorage.setItem("test.closed", tag) },
    ];
    PushManager.prototype.getSubscription = async () => (path() === null ? null : subscription);
  `;
}

test("push messages are turned on for a browser, renewed by it, and turned off on another device", async (t) => {
  const service = await startPushService(t);
  const { holdfast, url, page, problems, session } = await open(t, { allowPrivateWebhooks: true });
  const device = createDevice();
  await page.context().grantPermissions(["notifications"], { origin: url });
  await page.addInitScript(fakePush({ origin: service.origin, keys: device.keys }));
  await page.goto(`${url}/settings/notifications`);
  const turnOn = page.getByRole("button", { name: "Turn on for this browser" });
  await turnOn.click();
  const card = page.locator(".card", { hasText: "Chrome, " });
  await card.getByRole("button", { name: "Send a test" }).click();
  await service.until(1);
  assert.equal(service.arrived[0]?.path, "/first");
  const ids = async (): Promise<string[]> =>
    (await holdfast.notifications.devices()).items.map(({ subscriptionId }) => subscriptionId);
  const [first] = await ids();

  const again = page.waitForResponse(isAdded);
  await page.reload();
  assert.equal((await again).status(), 201);
  assert.deepEqual(await ids(), [first]);

  // The page itself closes the notifications of the session that it shows.
  const { sessionId } = session;
  await page.goto(`${url}/sessions/${sessionId}`);
  await waitFor(() => page.evaluate<string | null>('localStorage.getItem("test.closed")'), {
    describe: "the end of the notification",
    until: (closed) => closed === sessionId,
  });
  const loaded = page.waitForResponse(isAdded);
  await page.goto(`${url}/settings/notifications`);
  await loaded;

  // The service worker has subscribed again, at another address.
  await page.evaluate(`
    localStorage.setItem("test.push", "/second");
    const data = { renewPush: true };
    navigator.serviceWorker.dispatchEvent(new MessageEvent("message", { data }));
  `);
  const stored = 'JSON.parse(localStorage.getItem("holdfast.settings")).push';
  const second = await waitFor(() => page.evaluate<string>(stored), {
    describe: "the renewed device",
    until: (found) => found !== first,
  });
  assert.deepEqual(await ids(), [second]);

  await holdfast.notifications.removeDevice(second);
  const refused = page.waitForResponse(isAdded);
  await page.reload();
  assert.equal((await refused).status(), 404);
  await turnOn.waitFor();
  assert.equal(await page.evaluate('localStorage.getItem("test.push")'), null);
  await page.reload();
  await turnOn.waitFor();
  assert.deepEqual(await ids(), []);
  assert.deepEqual(problems, []);
});

test("a request of a child session counts as seen while the page shows it with its parent", async (t) => {
  const { holdfast, url, page, session } = await open(t);
  await page.goto(`${url}/sessions/${session.sessionId}`);
  await page.locator("#composer").waitFor();
  await session.prompt("child { ask May I? }");
  await page.locator(".ask-elsewhere").waitFor();
  const [ask] = (await holdfast.asks()).items;
  const child = holdfast.session(ask?.sessionId ?? "");
  assert.notEqual(child.sessionId, session.sessionId);
  await page.mouse.move(10, 10);
  await waitFor(async () => child.notice(await lastOf(child, "ask.opened")), {
    describe: "the mark of the page",
    until: ({ quiet }) => quiet === "seen",
  });
});

test("a device that nobody has used for a minute counts as absent, even if its clock was set back", async (t) => {
  const { url, page, session } = await open(t);
  await page.goto(`${url}/sessions/${session.sessionId}`);
  await page.locator("#composer").waitFor();
  // Change the clocks between two frames: the page would take a frame of a minute for a slow machine, and draw less.
  await page.evaluate(`
    new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(resolve)))).then(() => {
      const [time, date] = [performance.now.bind(performance), Date.now];
      performance.now = () => time() + 60_000;
      Date.now = () => date() - 86_400_000;
    })
  `);
  await (await session.prompt("say hello")).settled();
  await page.locator(".step").getByText("hello").waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  const notice = async () => session.notice(await lastOf(session, "run.ended"));
  assert.deepEqual(await notice(), { kind: "finished", quiet: null });
  await page.mouse.move(10, 10);
  await waitFor(notice, {
    describe: "the mark of the page",
    until: ({ quiet }) => quiet === "seen",
  });
});

test("a hidden page keeps its notification until all requests of the session are answered", async (t) => {
  const { url, page, session } = await open(t);
  await page.addInitScript(hiddenTab);
  await page.goto(`${url}/sessions/${session.sessionId}`);
  await page.locator("#composer").waitFor();
  await session.prompt("parallel { ask First?; ask Second? }");
  await page.locator(".ask-card").nth(1).waitFor();
  const shows = (count: number): Promise<number> =>
    waitFor(() => page.evaluate<number>("window.shown.length"), {
      describe: `${count} notifications`,
      until: (found) => found === count,
    });
  await shows(1);
  const [first, second] = (await session.asks({ open: true })).items;
  await session.answer(second?.askId ?? "", { verdict: "allow" });
  await page.locator(".ask-card").nth(1).waitFor({ state: "detached" });
  assert.equal(await page.evaluate("window.shown.length"), 1);
  await session.answer(first?.askId ?? "", { verdict: "allow" });
  await page.locator(".ask-card").waitFor({ state: "detached" });
  await waitFor(() => page.evaluate<string[]>("window.shown.map(({ title }) => title)"), {
    describe: "the end of the notification",
    until: (titles) => !titles.includes("Needs you"),
  });
});

/** Hides the tab and records its notifications, because a headless browser has nowhere to show them. */
const hiddenTab = `
  Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  localStorage.setItem("holdfast.settings", JSON.stringify({ notify: true }));
  window.shown = [];
  window.Notification = class extends EventTarget {
    static permission = "granted";
    constructor(title) { super(); this.title = title; window.shown.push(this); }
    close() { window.shown = window.shown.filter((each) => each !== this); }
  };
`;

interface Opened {
  readonly holdfast: Holdfast;
  readonly url: string;
  readonly page: Page;
  readonly problems: readonly string[];
  readonly session: SessionHandle;
}

async function open(t: TestContext, settings = {}): Promise<Opened> {
  const server = await openWebServer({}, settings);
  t.after(() => server.close());
  const { holdfast, url, folder } = server;
  const session = await holdfast.sessions.create({ directory: folder, title: "Loud" });
  const { page, problems } = await openUserPage(server.browser, await server.link());
  return { holdfast, url, page, problems, session };
}

function isAdded(response: { url(): string; request(): { method(): string } }): boolean {
  return response.url().endsWith("/v1/push") && response.request().method() === "POST";
}

async function lastOf(session: SessionHandle, type: string): Promise<number> {
  let found = 0;
  for await (const item of session.events({ follow: false })) {
    if (item.type === type && "seq" in item) found = item.seq;
  }
  return found;
}
