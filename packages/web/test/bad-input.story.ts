import assert from "node:assert/strict";
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Changes, WholeChange } from "@holdfast/sdk";
import type { Page, Route } from "playwright-core";
import { openUserPage } from "./support/user-page.ts";
import { openScriptedServer } from "./support/scripted-server.ts";
import type { ScriptedServer } from "./support/scripted-server.ts";

// Large, late and contradictory input in a real browser.

let server: ScriptedServer;

/** Text of about 2.6 MB. The diff of a change in each line is twice as long. */
const large = Array.from({ length: 80_000 }, (_, line) => `old ${line} `.padEnd(32, "x")).join(
  "\n",
);

before(async () => {
  server = await openScriptedServer((prompt) => {
    const [verb, path = ""] = prompt.split(" ");
    if (verb === "replace") {
      const edits = [{ old: "old", new: "new", all: true }];
      return [[{ name: "read", input: { path } }], [{ name: "edit", input: { path, edits } }]];
    }
    return verb === "write" ? [[{ name: "write", input: { path, content: "x\n" } }]] : [];
  });
});

after(() => server.close());

/** Number of elements on the page. */
function elements(page: Page): Promise<number> {
  return page.evaluate<number>("document.querySelectorAll('*').length");
}

/** Milliseconds until the page has handled an event and drawn a frame. */
function reaction(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const begin = performance.now();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
  })`);
}

test("a list of 10,000 changed files has few elements, keys reach its end, and a half-written comment stays", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  const file: Changes["files"][number] = {
    path: "",
    status: "changed",
    from: null,
    runIds: ["run-1"],
    added: 1,
    removed: 1,
    binary: false,
    others: null,
    problem: null,
  };
  const files = Array.from({ length: 10_000 }, (_, place) => ({
    ...file,
    path: join(server.project, `folder${place % 100}`, `file${place}.ts`),
  }));
  const answer: Changes = { files, omitted: 100, commands: [], background: [] };
  const diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n";
  const whole: WholeChange = { ...file, diff, sizes: { before: 4, after: 4 } };
  await page.route("**/v1/**/changes/file?*", (route) => route.fulfill({ json: whole }));
  await page.route("**/v1/**/changes", (route) => route.fulfill({ json: answer }));
  await page.goto(`${server.url}/sessions/${session.sessionId}/changes`);
  await page.locator(".change", { hasText: "file0.ts" }).waitFor();
  assert.ok((await reaction(page)) < 1_000);
  assert.ok((await elements(page)) < 2_000, `${await elements(page)} elements`);
  await page.locator(".changes-sum", { hasText: "10,100 filesat least+10,000 −10,000" }).waitFor();
  const first = page.locator(".change", { hasText: "file0.ts" });
  await first.locator(".change-name").press("Enter");
  await first.locator("tr.add .line-button").click();
  await page.keyboard.type("half a thought");
  await first.locator(".change-name").press("End");
  await page.locator(".change", { hasText: "file9999.ts" }).waitFor();
  await page.getByText("100 more changed files are not listed").waitFor();
  assert.ok((await elements(page)) < 2_000, `${await elements(page)} elements`);
  // The row that had the focus is out of sight, and keys still scroll the list.
  await page.keyboard.press("Home");
  await first.waitFor();
  assert.equal(await first.getByLabel("Comment", { exact: true }).inputValue(), "half a thought");
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a diff of 5 MB is counted, shows its beginning, and the page stays quick", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await session.setMode("acceptEdits");
  writeFileSync(join(server.project, "large.txt"), large);
  await (await session.prompt("replace large.txt")).settled();
  await page.goto(`${server.url}/sessions/${session.sessionId}/changes`);
  const change = page.locator(".change", { hasText: "large.txt" });
  await change.getByText("+80,000").waitFor();
  await change
    .getByRole("button", { name: /large\.txt/ })
    .first()
    .click();
  await change.locator("tr.remove").first().waitFor();
  assert.ok((await reaction(page)) < 1_000);
  assert.equal(await change.locator("tr").count(), 400);
  await change.getByRole("button", { name: "Show 2,000 more lines" }).click();
  await change.locator("tr").nth(2_399).waitFor();
  assert.equal(await change.locator("tr").count(), 2_400);
  assert.ok((await reaction(page)) < 3_000);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("while a provider does not answer, the form says so, and cancel stores nothing", async (t) => {
  const asked = Promise.withResolvers<void>();
  const silent = createServer(() => asked.resolve()).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const place = silent.address();
  const port = typeof place === "object" ? place?.port : null;
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  await page.goto(`${server.url}/settings/providers`);
  await page.getByRole("button", { name: "Other server" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("silent");
  await dialog.getByLabel("Address").fill(`http://127.0.0.1:${port}/v1`);
  await page.keyboard.press("Enter");
  await asked.promise;
  await dialog.getByText("Testing the connection…").waitFor();
  await dialog.getByText("The provider has not answered yet").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  const { items } = await server.holdfast.providers.list();
  assert.equal(
    items.find(({ name }) => name === "silent"),
    undefined,
  );
  assert.equal(await page.locator(".toast").count(), 0);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("of a denial in one tab and a permission in another, the first that is sent counts, and the other tab says so", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("write tabs.txt");
  await page.locator(".ask-card").getByRole("button", { name: "Deny" }).click();
  await page.getByText("Take back").waitFor();
  const other = await openUserPage(server.browser, page.url(), {
    storageState: await page.context().storageState(),
  });
  await other.page.locator(".ask-card").getByText("Allow once").click();
  await page.locator(".toast", { hasText: "allowed the request" }).waitFor();
  await page.locator(".ask-card").waitFor({ state: "detached" });
  await page.locator(".step", { hasText: "Done." }).waitFor();
  const [ask] = (await session.asks()).items;
  assert.equal(
    ask?.closed?.resolution.kind === "answered" && ask.closed.resolution.verdict,
    "allow",
  );
  assert.equal(await page.locator(".toast.bad").count(), 0);
  assert.deepEqual([...user.problems, ...other.problems], []);
  await other.close();
  await user.close();
});

test("both tabs allow the same request at once: it is allowed once, without an error page", async () => {
  const { user, session } = await server.openSession();
  await user.send("write both.txt");
  await user.page.locator(".ask-card").waitFor();
  const other = await user.tab();
  await other.goto(user.page.url());
  const buttons = [user.page, other].map((page) =>
    page.locator(".ask-card [aria-disabled=false]").getByText("Allow once"),
  );
  for (const button of buttons) await button.waitFor();
  await Promise.all(
    buttons.map((button) =>
      button.evaluate((element) => element.dispatchEvent(new Event("click", { bubbles: true }))),
    ),
  );
  for (const page of [user.page, other]) {
    await page.locator(".step", { hasText: "Done." }).waitFor();
    assert.equal(await page.locator(".ask-card").count(), 0);
  }
  assert.equal((await session.asks()).items.length, 1);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("on a slow server the first answer to a request counts, and an answer that is lost can be given again", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("write slow.txt");
  const card = page.locator(".ask-card");
  const [allow, deny] = [card.getByText("Allow once"), card.getByRole("button", { name: "Deny" })];
  await card.getByLabel("Reason for denying").fill("not yet");
  const arrived = Promise.withResolvers<Route>();
  await page.route("**/asks/*/answer", (route) => arrived.resolve(route));
  await allow.click();
  const lost = await arrived.promise;
  await card.getByText("Sending your answer…").waitFor();
  // The user changes their mind, but the permission is on its way.
  await deny.dispatchEvent("click");
  assert.equal(await card.getByText("Take back").count(), 0);
  await lost.fulfill({ status: 500, json: { error: { code: "internal", message: "lost" } } });
  await user.toast.waitFor();
  await card.getByText("Sending your answer…").waitFor({ state: "detached" });
  assert.equal(await card.getByLabel("Reason for denying").inputValue(), "not yet");
  await page.unroute("**/asks/*/answer");
  await deny.click();
  await card.getByRole("button", { name: "Take back" }).click();
  assert.equal(await card.getByLabel("Reason for denying").inputValue(), "not yet");
  await allow.click();
  await page.locator(".step", { hasText: "Done." }).waitFor();
  assert.equal((await session.asks({ open: true })).items.length, 0);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a screen reader is told about a request and the end of the run, and the request names its buttons", async () => {
  const { user } = await server.openSession();
  const { page } = user;
  const told = page.getByRole("status");
  await user.send("write reader.txt");
  await told
    .filter({ hasText: "Holdfast needs your answer: Change reader.txt?" })
    .waitFor({ state: "attached" });
  const card = page.getByRole("region", { name: "Permission request Change reader.txt?" });
  for (const name of [
    "Deny",
    "Allow changes to reader.txt in this session",
    "Always allow changes to reader.txt",
  ]) {
    await card.getByRole("button", { name, exact: true }).waitFor();
  }
  await card.getByRole("button", { name: /^Allow once/ }).click();
  await told.filter({ hasText: "Run completed" }).waitFor({ state: "attached" });
  const log = page.getByRole("log", { name: "Conversation" });
  await log.getByText("Done.").waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a prompt that the server could not accept is sent again by itself while the connection works", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  const refused = Promise.withResolvers<void>();
  // Longer than the SDK waits, so that the page itself has to send the prompt again.
  await page.route("**/prompts", async (route) => {
    await route.fulfill({ status: 503, headers: { "retry-after": "120" } });
    refused.resolve();
  });
  await user.send("say again");
  await refused.promise;
  await page.locator(".prompt.outgoing", { hasText: "say again" }).waitFor();
  await page.unroute("**/prompts");
  await page.locator(".step", { hasText: "Done." }).waitFor();
  assert.equal((await session.prompts()).items.length, 1);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("with reduced motion nothing moves", async () => {
  for (const [reducedMotion, moving] of [
    ["reduce", 0],
    ["no-preference", 1],
  ] as const) {
    const { user, session } = await server.openSession({ reducedMotion });
    const { page } = user;
    await user.send("write motion.txt");
    await page.locator(".ask-card").waitFor();
    await page.locator(".toast").waitFor({ state: "detached" });
    // The spinner of the connection banner: the only part that moves without end.
    const spins = `{
      const spinner = document.createElement("span");
      spinner.className = "spinner";
      document.body.append(spinner);
      spinner.getAnimations().length;
    }`;
    assert.equal(await page.evaluate<number>(spins), moving, reducedMotion);
    if (moving === 0) {
      assert.equal(await page.evaluate<number>("document.getAnimations().length"), 0);
    }
    await session.cancel();
    await user.close();
  }
});

test("a keyboard that covers the page of a phone leaves the composer and the request visible", async () => {
  const { user, session } = await server.openSession({
    viewport: { width: 390, height: 760 },
    hasTouch: true,
    isMobile: true,
  });
  const { page } = user;
  await user.send("write phone.txt");
  const deny = page.locator(".ask-card").getByRole("button", { name: "Deny" });
  await deny.waitFor();
  // Some phones shrink only the visual viewport. The browser of this test has no keyboard, so its value is replaced.
  await page.evaluate(`
    Object.defineProperty(visualViewport, "height", { configurable: true, get: () => 420 });
    visualViewport.dispatchEvent(new Event("resize"));
  `);
  await page.locator("#composer").fill("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten");
  for (const part of [deny, page.locator("#composer"), page.locator(".composer .send")]) {
    const box = await part.boundingBox();
    assert.ok(box !== null && box.y > 0 && box.y + box.height <= 420, JSON.stringify(box));
  }
  await page.evaluate(`
    delete visualViewport.height;
    visualViewport.dispatchEvent(new Event("resize"));
  `);
  await page.waitForFunction(
    "document.querySelector('.composer').getBoundingClientRect().bottom > 700",
  );
  await session.cancel();
  await user.close();
});
