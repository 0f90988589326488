import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { createDevice, startPushService } from "../../holdfast/test/server/push/device.ts";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { openPty } from "../../terminal/test/support/pty.ts";
import { openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";

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
const titles = "window.shown.map(({ title }) => title)";

test("a phone that gets a push message answers it, and a tab, a tablet and the terminal are cleared", async (t) => {
  const service = await startPushService(t);
  const server = await openWebServer({}, { allowPrivateWebhooks: true, pushGrace: 0 });
  t.after(() => server.close());
  const { holdfast, url, folder } = server;
  const title = "Confidential title";
  const session = await holdfast.sessions.create({ directory: folder, title });
  const { sessionId } = session;
  await (await session.prompt("say hello")).settled();

  const token = await holdfast.tokens.create({ name: "phone", role: "prompt" });
  const phone = connect({ url, token: token.secret });
  const [phoneKeys, tabletKeys] = [createDevice(), createDevice()];
  const endpointOf = (path: string) => `${service.origin}${path}`;
  await phone.notifications.addDevice({ endpoint: endpointOf("/phone"), keys: phoneKeys.keys });
  await holdfast.notifications.addDevice({
    endpoint: endpointOf("/tablet"),
    keys: tabletKeys.keys,
  });
  const received = (path: string, device = phoneKeys): { kind: string; seq: number }[] =>
    service.arrived
      .filter((each) => each.path === path)
      .map(({ body }) => JSON.parse(device.decrypt(body)));

  const owner = (await readFile(join(folder, "data", "token"), "utf8")).trim();
  const terminal = openPty({
    folder,
    words: ["attach", sessionId],
    environment: { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: owner },
  });
  t.after(() => terminal.close());
  await terminal.contains("[demo agent] hello");
  // The window of the terminal loses the focus, so the terminal rings.
  terminal.type("\u001b[O");
  const user = await openUserPage(server.browser, await server.link());
  t.after(() => user.close());
  const tab = await user.tab();
  await tab.addInitScript(hiddenTab);
  await tab.goto(`${url}/sessions/${sessionId}`);
  await tab.locator("#composer").waitFor();

  await session.prompt("ask to append secret-file.txt secret words");
  await waitFor(() => tab.evaluate<string[]>(titles), {
    describe: "the notification of the hidden tab",
    until: (shown) => shown.includes("Needs you"),
  });
  await tab.locator(".ask-card").waitFor();
  await terminal.shows("Needs you");
  await terminal.until("the bell", () => terminal.raw().includes("\u001b]9;Needs you"));
  await service.until(2);
  const [called] = received("/phone");
  assert(called !== undefined);
  assert.deepEqual(called, { kind: "needsYou", sessionId, seq: called.seq, language: "en" });
  for (const { headers, body } of service.arrived) {
    const all = `${JSON.stringify(headers)}${body.toString("latin1")}`;
    for (const secret of [title, "secret", sessionId, "needsYou", folder, owner, token.secret]) {
      assert.ok(!all.includes(secret), `a push message contains ${secret}`);
    }
  }

  // The phone knows only the content of the message and its own token.
  const asked = phone.session(sessionId);
  const [ask] = (await asked.asks()).items;
  await asked.answer(ask?.askId ?? "", { verdict: "allow" });
  await tab.locator(".ask-card").waitFor({ state: "detached" });
  assert.ok(!(await tab.evaluate<string[]>(titles)).includes("Needs you"));
  await terminal.hides("Needs you");
  await service.until(6);
  for (const [path, keys] of [
    ["/phone", phoneKeys],
    ["/tablet", tabletKeys],
  ] as const) {
    const kinds = received(path, keys).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["needsYou", "clear", "finished"]);
  }
  // The terminal asks this question before it rings.
  const { seq } = called;
  assert.deepEqual(await session.notice(seq), { kind: "needsYou", quiet: "over" });

  await holdfast.tokens.revoke(token.tokenId);
  await (await session.prompt("say more")).settled();
  await service.until(7);
  assert.equal(received("/tablet", tabletKeys).length, 4);
  assert.equal(received("/phone").length, 3);

  const tabShows = (title: string, isShown: boolean): Promise<string[]> =>
    waitFor(() => tab.evaluate<string[]>(titles), {
      describe: `${title} in the hidden tab: ${isShown}`,
      until: (found) => found.includes(title) === isShown,
    });
  await tabShows("Finished", true);
  await session.markSeen((await session.get()).seq);
  await tabShows("Finished", false);
  assert.deepEqual(user.problems, []);
});
