import assert from "node:assert/strict";
import { test } from "node:test";
import { createDevice } from "../../holdfast/test/server/push/device.ts";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";

test("settings: devices, quiet hours and the worker that shows push messages", async (t) => {
  const server = await openWebServer();
  t.after(() => server.close());
  const { holdfast, url } = server;
  const { page, problems } = await openUserPage(server.browser, await server.link());
  await page.locator(".sidebar").waitFor();

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
    await holdfast.notifications.change({ mute: [session.sessionId] });
    await page.goto(`${url}/settings/notifications`);
    const card = page.locator(".card", { hasText: "Loud" });
    await card.getByRole("button", { name: "Unmute" }).click();
    await card.waitFor({ state: "detached" });
    assert.deepEqual((await holdfast.notifications.settings()).muted, []);
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
    // Tests of Node do not know the types of the browser's service workers.
    const script = await page.evaluate(`(async () => {
      await navigator.serviceWorker.register("/push-worker.js");
      return (await navigator.serviceWorker.ready).active.scriptURL;
    })()`);
    assert.equal(script, `${url}/push-worker.js`);
  });
  assert.deepEqual(problems, []);
});
