import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Holdfast } from "@holdfast/sdk";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { clickInRow } from "./support/click-in-row.ts";
import { openUserPage } from "./support/user-page.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// The list of sessions, and the warning of a session page.

let server: SignedInServer;
let browser: Browser;
let holdfast: Holdfast;
let folder: string;
let signedIn: BrowserContextOptions;

before(async () => {
  server = await openSignedInServer();
  ({ browser, holdfast, folder, signedIn } = server);
});

after(() => server.close());

test("sessions can be renamed, archived, restored and deleted in the list", async () => {
  const session = await holdfast.sessions.create({ directory: folder, title: "Tidy me up" });
  const busy = await holdfast.sessions.create({ directory: folder, title: "Busy" });
  const { page, toast, problems, close } = await openUserPage(browser, server.url, signedIn);
  const item = page.locator(".session-row", { hasText: "Tidy me up" });
  const act = async (name: string): Promise<void> => {
    await clickInRow(item, "More actions");
    // Activity in other sessions does not close the menu.
    await (await busy.prompt("say something")).settled();
    await item.getByRole("menuitem", { name, exact: true }).click();
  };
  await act("Archive");
  await toast.getByText("Undo").click();
  await item.waitFor();
  await act("Rename");
  await page.getByLabel("Title").fill("Tidy me up well");
  await page.keyboard.press("Enter");
  await item.getByText("Tidy me up well").waitFor();
  await act("Delete");
  await page.locator("dialog").getByText("Delete", { exact: true }).click();
  await item.waitFor({ state: "detached" });
  assert.equal((await session.get()).status, "deleted");
  assert.deepEqual(problems, []);
  await close();
});

test("the rows of the list stay in place while a menu is open", async () => {
  const quiet = await holdfast.sessions.create({ directory: folder, title: "Quiet" });
  const other = await holdfast.sessions.create({ directory: folder, title: "Other" });
  await quiet.rename("Quiet now");
  const { page, close } = await openUserPage(browser, server.url, signedIn);
  const top = (title: string): Promise<number> =>
    page
      .locator(".session-row", { hasText: title })
      .evaluate((row) => row.getBoundingClientRect().top);
  const item = page.locator(".session-row", { hasText: "Quiet now" });
  await clickInRow(item, "More actions");
  const before = await top("Quiet now");
  assert.ok(before < (await top("Other")));
  await other.rename("Other with a new title");
  await page.locator(".session-row", { hasText: "Other with a new title" }).waitFor();
  assert.equal(await top("Quiet now"), before);
  await page.keyboard.press("Escape");
  await waitFor(async () => (await top("Other")) < (await top("Quiet now")), {
    describe: "the session with the latest change to be first",
  });
  await close();
});

test("a session page warns if commands run without a sandbox", async () => {
  await server.inSession(async ({ page }) => {
    const problems = [null, "there is none"];
    await page.route("**/v1/status", async (route) => {
      const response = await route.fetch();
      const sandbox = { name: null, problem: problems[0] ?? null };
      await route.fulfill({ response, json: { ...(await response.json()), sandbox } });
    });
    await page.reload();
    await page.locator("#composer").waitFor();
    const alert = page.locator(".page-head .no-sandbox");
    assert.equal(await alert.count(), 0);
    problems.shift();
    await page.reload();
    await alert.waitFor();
    assert.match((await alert.getAttribute("title")) ?? "", /there is none/);
    await alert.click();
    await page.locator(".health-page .no-sandbox").waitFor();
  });
});
