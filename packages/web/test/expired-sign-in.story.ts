import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { openScriptedServer } from "./support/scripted-server.ts";
import type { ScriptedServer } from "./support/scripted-server.ts";
import { openUserPage } from "./support/user-page.ts";

// Unsent text after the sign-in has expired, in a real browser. The draft of a prompt is tested in reading.story.ts.

let server: ScriptedServer;

before(async () => {
  server = await openScriptedServer((prompt) => {
    const files = prompt.split(" ").filter((path) => path.endsWith(".txt"));
    return [files.map((path) => ({ name: "write", input: { path, content: "one\ntwo\n" } }))];
  });
});

after(() => server.close());

/** Lets the sign-in expire, then signs in with a link in the same tab. */
async function signInAgain(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.reload();
  await page.getByText("holdfast link").waitFor();
  await page.goto(await server.link());
}

/** Lets the sign-in expire, then signs in with a link in another tab. The page itself is not loaded again. */
async function signInElsewhere(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.reload();
  await page.getByText("holdfast link").waitFor();
  const other = await page.context().newPage();
  await other.goto(await server.link());
  await other.locator(".sidebar").waitFor();
  await other.close();
}

/** Everything that the page has stored in this browser. */
function stored(page: Page): Promise<string> {
  return page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
}

test("a prompt that is refused because the sign-in has expired leads to the sign-in page, and is a draft afterwards", async () => {
  const { user } = await server.openSession();
  const { page } = user;
  const address = page.url();
  await page.locator("#composer").fill("not sent yet");
  await page.context().clearCookies();
  await page.keyboard.press("Enter");
  await page.getByText("holdfast link").waitFor();
  await page.goto(await server.link());
  await page.locator("#composer").waitFor();
  assert.equal(page.url(), address);
  assert.equal(await page.locator("#composer").inputValue(), "not sent yet");
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("after an expired sign-in, a half-written line comment is in its open file", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await session.setMode("acceptEdits");
  // With more than five files, all diffs are closed at first.
  const names = Array.from({ length: 7 }, (_, place) => `file${place}.txt`);
  await (await session.prompt(names.join(" "))).settled();
  const address = `${server.url}/sessions/${session.sessionId}/changes`;
  await page.goto(address);
  const change = page.locator(".change", { hasText: "file3.txt" });
  await change.locator(".change-name").click();
  await change.locator("tr.add .line-button").nth(1).click();
  await page.keyboard.type("half a thought");
  for (const again of [signInAgain, signInElsewhere]) {
    await again(page);
    const form = change.getByLabel("Comment", { exact: true });
    await form.waitFor();
    assert.equal(page.url(), address);
    assert.equal(await form.inputValue(), "half a thought");
  }
  await change.getByRole("button", { name: "Add comment" }).click();
  await change.locator(".line-comment", { hasText: "half a thought" }).waitFor();
  assert.ok(!(await stored(page)).includes("commentDrafts"));
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("after an expired sign-in, the config editor has the unsaved text, which is not in the storage", async () => {
  const file = join(server.project, "holdfast.jsonc");
  const saved = '{ "model": "lab/usual" }\n';
  writeFileSync(file, saved);
  await server.holdfast.sessions.create({ directory: server.project });
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  await page.goto(`${server.url}/settings/config`);
  await page.getByText("Use a plain text field").click();
  const editor = page.getByLabel("Config text");
  const save = page.getByRole("button", { name: "Save", exact: true });
  assert.equal(await editor.inputValue(), saved);
  const edited = saved.replace("}", ', "mcp": {} }');
  await editor.fill(edited);
  for (const again of [signInAgain, signInElsewhere]) {
    await again(page);
    await editor.waitFor();
    assert.equal(new URL(page.url()).pathname, "/settings/config");
    assert.equal(await editor.inputValue(), edited);
    assert.ok(!(await stored(page)).includes("mcp"));
  }
  // The unsaved text of each file is kept while the other one is open.
  await page.getByText("User", { exact: true }).click();
  await page.getByText("config.jsonc").waitFor();
  assert.notEqual(await editor.inputValue(), edited);
  await page.getByText("Project", { exact: true }).click();
  await page.getByText("holdfast.jsonc").waitFor();
  assert.equal(await editor.inputValue(), edited);
  await save.click();
  await page.locator(".toast").waitFor();
  await page.reload();
  await editor.waitFor();
  assert.equal(await editor.inputValue(), edited);
  assert.ok(await save.isDisabled());
  // Text that is based on an old version of the file can be discarded, even after a reload.
  await editor.fill("{}");
  writeFileSync(file, saved);
  await page.reload();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await waitFor(() => editor.inputValue(), {
    describe: "the text of the file",
    until: (text) => text === saved,
  });
  assert.deepEqual(user.problems, []);
  await user.close();
});
