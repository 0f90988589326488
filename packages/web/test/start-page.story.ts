import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FolderList, Me } from "@holdfast/sdk";
import type { Route } from "playwright-core";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { fillDirectory, openUserPage } from "./support/user-page.ts";

// The directory and the first prompt of a new session, in a real browser.

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

test("text that is typed while a session is created stays in the start form", async () => {
  const { browser, folder, url, signedIn } = server;
  const user = await openUserPage(browser, url, signedIn);
  const { page, answer } = user;
  const arrived = Promise.withResolvers<Route>();
  await page.route("**/v1/sessions", (route) =>
    route.request().method() === "POST" ? arrived.resolve(route) : route.continue(),
  );
  await fillDirectory(page, folder);
  await user.send("say first");
  const creation = await arrived.promise;
  await page.locator("#composer").fill("say first and more");
  await creation.continue();
  await answer.getByText("first").waitFor();
  assert.deepEqual(await page.locator(".prompt-text").allTextContents(), ["say first"]);
  await page.goto(url);
  await page.locator("#composer").waitFor();
  assert.equal(await page.locator("#composer").inputValue(), "say first and more");
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a first prompt that the server refuses is in the composer of its session, with its file", async () => {
  const { browser, folder, url, signedIn } = server;
  const user = await openUserPage(browser, url, signedIn);
  const { page } = user;
  const error = { code: "badRequest", message: "not this one", requestId: "1", details: {} };
  await page.route("**/prompts", (route) => route.fulfill({ status: 400, json: { error } }));
  await fillDirectory(page, folder);
  await page.locator("input[type=file]").setInputFiles({
    name: "notes.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("notes"),
  });
  await page.locator(".upload", { hasText: "5 B" }).waitFor();
  await user.send("say refused");
  await user.toast.getByText("not this one").waitFor();
  await page.waitForURL("**/sessions/*");
  await waitFor(() => page.locator("#composer").inputValue(), {
    describe: "the refused prompt",
    until: (text) => text === "say refused",
  });
  await page.locator(".upload", { hasText: "notes.txt" }).waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});
