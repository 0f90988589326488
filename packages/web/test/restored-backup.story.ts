import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ensureWeb } from "../../../scripts/build-web/ensure-web.ts";
import type { Serving } from "../../holdfast/src/compose/serve.ts";
import { shareBrowser } from "./support/browser.ts";
import type { SharedBrowser } from "./support/browser.ts";
import { adminClient, startServer } from "./support/web-server.ts";
import { openUserPage } from "./support/user-page.ts";

let folder: string;
let shared: SharedBrowser;
let serving: Serving | null = null;
/** Port of the first server. Later servers use the same port. */
let port = 0;

before(async () => {
  await ensureWeb(join(import.meta.dirname, "../../../"));
  folder = await mkdtemp(join(tmpdir(), "holdfast-restored-"));
  shared = await shareBrowser();
});

after(async () => {
  await shared.close();
  await serving?.server.stop();
  await rm(folder, { recursive: true });
});

test("open pages show the restored state after a backup is restored, without a reload (T2)", async () => {
  const store = join(folder, "data", "holdfast.db");
  const first = await start();
  const holdfast = await adminClient(folder, first.server.url);
  const kept = await holdfast.sessions.create({ directory: folder, title: "Kept" });
  await (await kept.prompt("say kept")).settled();
  const user = await openUserPage(shared.browser, await first.link());
  const timeline = await user.tab();
  const alone = await user.tab();
  const gone = await user.tab();
  await timeline.goto(`${first.server.url}/timeline`);
  await alone.goto(`${first.server.url}/sessions/${kept.sessionId}/timeline`);
  await alone.locator(".prompt-bar").first().waitFor();

  await first.server.stop();
  await copyFile(store, `${store}.copy`);
  const second = await start();
  const lost = await holdfast.sessions.create({ directory: folder, title: "Lost" });
  await (await lost.prompt("say lost")).settled();
  for (const text of ["say lost one", "say lost two"]) await (await kept.prompt(text)).settled();
  await kept.prompt("stall");
  await gone.goto(`${second.server.url}/sessions/${lost.sessionId}`);
  await gone.locator(".step", { hasText: "lost" }).waitFor();
  await timeline.locator(".session-label", { hasText: "Lost" }).waitFor();
  await timeline.locator(".prompt-bar").nth(4).waitFor();
  await alone.locator(".prompt-label", { hasText: "stall" }).waitFor();
  await user.page.locator(".session-row", { hasText: "Kept" }).locator(".running").waitFor();

  await second.server.stop({ deadline: 0 });
  await copyFile(`${store}.copy`, store);
  for (const end of ["-wal", "-shm"]) await rm(`${store}${end}`, { force: true });
  await start();
  await timeline.locator(".session-label", { hasText: "Lost" }).waitFor({ state: "detached" });
  await (await kept.prompt("say new")).settled();
  await alone.locator(".prompt-label", { hasText: "say new" }).waitFor();
  await alone.locator(".prompt-label", { hasText: "lost" }).first().waitFor({ state: "detached" });
  assert.equal(await alone.locator(".prompt-bar").count(), 2);
  await timeline.locator(".prompt-bar").nth(1).waitFor();
  await timeline.locator(".prompt-bar").nth(2).waitFor({ state: "detached" });
  const rows = user.page.locator(".session-row");
  await rows.filter({ hasText: "Lost" }).waitFor({ state: "detached" });
  await rows.filter({ hasText: "Kept" }).locator(".idle").waitFor();
  await gone.getByText("This session does not exist").waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a page whose session could not be read after a restore shows the restored state when it is connected again (T2)", async () => {
  const store = join(folder, "data", "holdfast.db");
  const first = serving ?? (await start());
  const holdfast = await adminClient(folder, first.server.url);
  const session = await holdfast.sessions.create({ directory: folder });
  await (await session.prompt("say kept")).settled();
  const user = await openUserPage(shared.browser, await first.link());
  const { page } = user;

  await first.server.stop();
  await copyFile(store, `${store}.copy`);
  const second = await start();
  await (await session.prompt("say lost")).settled();
  await page.goto(`${second.server.url}/sessions/${session.sessionId}`);
  const lost = page.locator(".step", { hasText: "lost" });
  await lost.waitFor();

  await second.server.stop();
  await copyFile(`${store}.copy`, store);
  for (const end of ["-wal", "-shm"]) await rm(`${store}${end}`, { force: true });
  const address = `**/v1/sessions/${session.sessionId}`;
  const refused = page.waitForResponse(address);
  // Longer than the SDK waits, so that the page itself has to read the session again.
  await page.route(address, (route) =>
    route.fulfill({ status: 503, headers: { "retry-after": "120" } }),
  );
  await start();
  await refused;
  const banner = page.locator(".connection-banner");
  await banner.waitFor({ state: "detached" });
  assert.equal(await lost.count(), 1);
  await page.unroute(address);
  await page.context().setOffline(true);
  await banner.waitFor();
  await page.context().setOffline(false);
  await lost.waitFor({ state: "detached" });
  await page.locator(".step", { hasText: "kept" }).waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

async function start(): Promise<Serving> {
  serving = await startServer({ folder, port });
  ({ port } = serving.server);
  return serving;
}
