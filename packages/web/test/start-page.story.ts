import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FolderList, Me } from "@holdfast/sdk";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { openUserPage } from "./support/user-page.ts";

// The directory of a new session, in a real browser.

let server: SignedInServer;

before(async () => {
  server = await openSignedInServer();
});

after(() => server.close());

test("the project picker says that a list of folders is not complete", async () => {
  const { browser, url, signedIn } = server;
  const user = await openUserPage(browser, url, signedIn);
  const { page } = user;
  const items = [{ name: "one", path: "/many/one", isRepository: false }];
  const listed: FolderList = {
    directory: "/many",
    parent: "/",
    isRepository: false,
    places: [],
    items,
    isComplete: false,
  };
  await page.route("**/v1/folders*", (route) => route.fulfill({ json: listed }));
  await page.getByRole("button", { name: "Browse…" }).click();
  await page.getByText("Only 1 folders are listed").waitFor();
  await page.keyboard.type("hidden");
  await page.getByText("Hidden folders are not listed").waitFor();
  const field = page.getByRole("combobox", { name: "Filter by name, or type a path" });
  assert.equal(await field.getAttribute("aria-activedescendant"), null, "the list is empty");
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a token that may not list folders starts in the first directory that it may use", async () => {
  const { browser, folder, url, signedIn } = server;
  const user = await openUserPage(browser, url, signedIn);
  const { page } = user;
  const me: Me = { tokenId: null, name: "limited", role: "propose", directories: [folder] };
  await page.route("**/v1/me", (route) => route.fulfill({ json: me }));
  await page.route("**/v1/folders*", (route) => route.fulfill({ status: 403, json: {} }));
  await page.reload();
  await page.locator(".home-bar .field input:valid").waitFor();
  assert.equal(await page.getByLabel("Directory", { exact: true }).inputValue(), folder);
  assert.equal(await page.getByRole("button", { name: "Browse…" }).count(), 0);
  await user.close();
});
