import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";
import { openUserPage } from "./support/user-page.ts";

// The guided demo takes about 30 seconds, because people must be able to read along.

let server: SignedInServer;

before(async () => {
  server = await openSignedInServer();
});

after(() => server.close());

test("the start page runs a demo of a crash, and the guide explains each stage while it happens", async () => {
  const user = await openUserPage(server.browser, server.url, server.signedIn);
  const { page } = user;
  await page.getByLabel("Directory", { exact: true }).fill(server.folder);
  await page.getByRole("button", { name: "Watch a crash and its recovery" }).click();
  const guide = page.locator(".tour");
  for (const title of [
    "Three prompts are stored",
    "The agent is working",
    "The worker of the run has stopped",
    "A new worker continues",
    "The queue continues",
    "Nothing was lost",
  ]) {
    await guide.getByRole("heading", { name: title }).waitFor();
  }
  const sessionId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const session = server.holdfast.session(sessionId);
  const { items } = await session.prompts();
  assert.deepEqual(
    items.map(({ outcome }) => outcome?.status),
    ["completed", "completed", "completed"],
  );
  await page.locator(".notice.resumed").waitFor();
  assert.equal(await page.locator(".call", { hasText: "edit" }).count(), 1);
  await guide.getByRole("link", { name: "Show the timeline" }).click();
  await page.locator(".segment-part.cutOff").waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});
