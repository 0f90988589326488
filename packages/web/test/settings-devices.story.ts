import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { createRememberedRules } from "../../holdfast/src/agent/permissions/remembered.ts";
import { dataFolder } from "../../holdfast/src/compose/stores.ts";
import { createDevice } from "../../holdfast/test/server/push/device.ts";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { isInReach } from "./support/layout.ts";
import { openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";

test("settings: devices, access, webhooks, rules and notifications", async (t) => {
  const server = await openWebServer();
  t.after(() => server.close());
  const { holdfast, url } = server;
  const { page, problems } = await openUserPage(server.browser, await server.link());
  await page.locator(".sidebar").waitFor();

  await t.test("a change keeps a setting that another tab stored meanwhile", async () => {
    await page.goto(`${url}/settings/look`);
    await page.getByLabel(/single-key/).waitFor();
    // A frozen tab does not get the event that tells it about the change.
    await page.evaluate(`localStorage.setItem("holdfast.settings", '{"theme":"dark"}')`);
    await page.getByLabel(/single-key/).uncheck();
    const stored = await page.evaluate<string>(`localStorage.getItem("holdfast.settings")`);
    assert.partialDeepStrictEqual(JSON.parse(stored), { theme: "dark", letterKeys: false });
    await page.evaluate(`localStorage.removeItem("holdfast.settings")`);
  });

  await t.test("a device is listed with its name and turned off", async () => {
    const endpoint = "https://push.example.net/send/secret";
    await holdfast.notifications.addDevice({
      endpoint,
      keys: createDevice().keys,
      name: "Pixel",
    });
    await page.goto(`${url}/settings/notifications`);
    const card = page.locator(".card", { hasText: "Pixel" });
    await card.getByRole("button", { name: "Turn off" }).click();
    await page.getByText("No device receives push messages.").waitFor();
    assert.deepEqual((await holdfast.notifications.devices()).items, []);
  });

  await t.test("the page says why this browser cannot be turned on, and what to do", async () => {
    const toast = page.locator(".toast").last();
    // This browser denies every request for a permission, and has no push service.
    await page.getByLabel("Notify me while this page is open").click();
    await toast.getByText("does not allow this page to notify you").waitFor();
    await page.context().grantPermissions(["notifications"], { origin: url });
    await page.getByRole("button", { name: "Turn on for this browser" }).click();
    await toast.getByText("could not register with its push service").waitFor();
  });

  await t.test("a push service that cannot be reached is reported after 30 seconds", async () => {
    await page.goto(`${url}/settings/notifications`);
    // Chromium with a push service behaves like this without a connection to the internet.
    await page.evaluate(`
      PushManager.prototype.subscribe = () => new Promise(() => {});
      const { setTimeout } = window;
      window.setTimeout = (action, wait) => setTimeout(action, wait === 30_000 ? 100 : wait);
    `);
    await page.getByRole("button", { name: "Turn on for this browser" }).click();
    await page.locator(".toast").getByText("(no answer within 30 seconds)").waitFor();
  });

  await t.test(
    "quiet hours are stored on the server, in the time zone of the browser",
    async () => {
      await page.getByLabel("Do not notify me at these times").check();
      await page.getByLabel("From").fill("21:30");
      const { quietHours } = await waitFor(() => holdfast.notifications.settings(), {
        describe: "the changed quiet hours",
        until: (settings) => settings.quietHours?.from === "21:30",
      });
      assert.deepEqual([quietHours?.from, quietHours?.to], ["21:30", "07:00"]);
    },
  );

  await t.test("what is on the screen counts as seen; the session can be muted", async () => {
    const session = await holdfast.sessions.create({ directory: server.folder, title: "Loud" });
    await page.goto(`${url}/sessions/${session.sessionId}`);
    await (await session.prompt("hello")).settled();
    const { seq } = await session.get();
    const end = (
      await Array.fromAsync({ length: seq }, (_, index) => session.event(index + 1))
    ).findLast((event) => event.type === "run.ended");
    await waitFor(() => session.notice(end?.seq ?? 0), {
      describe: "the mark of the page",
      until: (notice) => notice.quiet === "seen",
    });
    await page.locator(".page-head").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Mute notifications" }).click();
    await page.getByText("You get no more notifications from this session").waitFor();
    assert.deepEqual((await holdfast.notifications.settings()).muted, [session.sessionId]);
    await page.goto(`${url}/settings/notifications`);
    const card = page.locator(".card", { hasText: "Loud" });
    await card.getByRole("button", { name: "Unmute" }).click();
    await card.waitFor({ state: "detached" });
    assert.deepEqual((await holdfast.notifications.settings()).muted, []);
  });

  await t.test("a second device signs in with the code, and is signed out again", async () => {
    await page.goto(`${url}/settings/access`);
    assert.ok(await isInReach(page.getByRole("link", { name: "Maintenance" })), "no tab is hidden");
    await page.getByRole("button", { name: "Sign in another device" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("img", { name: "QR code of the link" }).waitFor();
    const link = await dialog.locator("code").innerText();
    const wider = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth);
    assert.equal(wider, 0, "the link fits into the dialog");
    const phone = await openUserPage(server.browser, link);
    await phone.page.locator(".sidebar").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.reload();
    const browsers = page.locator(".card", { hasText: "owner/web" });
    await browsers.nth(1).waitFor();
    await phone.page.goto(`${url}/settings/access`);
    await phone.page.getByRole("button", { name: "Sign out" }).first().click();
    await phone.page.locator(".sign-in").waitFor();
    await phone.close();
    await page.reload();
    await browsers.first().waitFor();
    assert.equal(await browsers.count(), 1);
  });

  await t.test("a token is created with its secret shown once, and revoked", async () => {
    await page.getByLabel("Name of a new access token").fill("ci");
    await page.getByRole("button", { name: "Create an access token" }).click();
    const secret = await page.locator("form .command code").innerText();
    const ci = connect({ url, token: secret });
    assert.deepEqual((({ name, role }) => [name, role])(await ci.me()), ["ci", "prompt"]);
    const card = page.locator("li.card", { hasText: "ci" });
    await card.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await card.waitFor({ state: "detached" });
    await assert.rejects(ci.me(), { code: "unauthorized" });
  });

  await t.test("a webhook is added, shows why a delivery failed, and is removed", async () => {
    await page.goto(`${url}/settings/webhooks`);
    await page.getByLabel("Address of a new webhook").fill("http://localhost:1/hook");
    await page.getByRole("button", { name: "Add a webhook" }).click();
    const card = page.locator("li.card", { hasText: "localhost:1/hook" });
    await card.getByRole("button", { name: "Send a test" }).click();
    await card.getByText("private network").waitFor();
    await card.getByRole("button", { name: "Remove" }).click();
    await page.getByText("There are no webhooks.").waitFor();
    assert.deepEqual((await holdfast.webhooks.list()).items, []);
  });

  await t.test("a remembered rule is revoked, and an exported session is imported", async () => {
    const directory = server.folder;
    const rules = join(dataFolder({}, join(directory, "data")), "permissions");
    const scope = { kind: "project", directory } as const;
    const rule = { action: "run", pattern: "npm test *", effect: "allow" } as const;
    await createRememberedRules(rules, { redact: (text) => text }).add(scope, rule);
    const session = await holdfast.sessions.create({ directory: server.folder, title: "Moved" });
    const document = (await Array.fromAsync(session.export())).join("");
    await page.goto(`${url}/settings/rules`);
    await page.locator(".card", { hasText: "npm test *" }).getByRole("button").click();
    await page.getByText("No rules are remembered for this directory.").waitFor();
    assert.deepEqual((await holdfast.rules.list({ directory })).items, []);
    await page.goto(`${url}/settings/maintenance`);
    await page.getByLabel("Import a session").setInputFiles({
      name: "notes.json",
      mimeType: "application/json",
      buffer: Buffer.from("{ not json"),
    });
    await page.getByText("notes.json was not imported: it is not valid JSON").waitFor();
    await page.getByLabel("Import a session").setInputFiles({
      name: "session.json",
      mimeType: "application/json",
      buffer: Buffer.from(document),
    });
    await page.getByText("The session was imported").waitFor();
    await page.locator(".page-head", { hasText: "Moved" }).waitFor();
  });

  await t.test("the page installs as an app, and the browser accepts its worker", async () => {
    const devtools = await page.context().newCDPSession(page);
    const { errors, data } = await devtools.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    const { icons }: { icons: { src: string; type: string }[] } = JSON.parse(data ?? "");
    for (const { src, type } of icons) {
      const icon = await page.request.get(`${url}${src}`);
      assert.equal(icon.headers()["content-type"], type);
    }
    // The script is a string, because the types of service workers are missing in tests, which use the types of Node.
    const script = await page.evaluate(`(async () => {
      await navigator.serviceWorker.register("/push-worker.js");
      return (await navigator.serviceWorker.ready).active.scriptURL;
    })()`);
    assert.equal(script, `${url}/push-worker.js`);
  });
  assert.deepEqual(problems, []);
});
