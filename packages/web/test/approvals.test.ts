import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { clickInRow } from "./support/click-in-row.ts";
import { isInReach, layoutProblems } from "./support/layout.ts";
import { openScriptedServer } from "./support/scripted-server.ts";
import type { ScriptedServer, ToolCalls } from "./support/scripted-server.ts";

// Permission requests of the coding agent in a real browser.

let server: ScriptedServer;

before(async () => {
  server = await openScriptedServer(script);
});

after(() => server.close());

function script(prompt: string): readonly ToolCalls[] {
  const [verb, path = ""] = prompt.split(" ");
  if (verb === "wait") return [[{ name: "askUser", input: { question: "Go on?" } }]];
  if (verb === "write") return [[{ name: "write", input: { path, content: "written\n" } }]];
  if (verb === "both") {
    const paths = ["keep.txt", "undo.txt"];
    return [
      paths.map((name) => ({ name: "read", input: { path: name } })),
      paths.map((name) => ({ name: "write", input: { path: name, content: "written\n" } })),
    ];
  }
  if (verb === "rewrite") {
    const content = lines(900, "new");
    return [[{ name: "read", input: { path } }], [{ name: "write", input: { path, content } }]];
  }
  if (verb !== "fetch") return [];
  return [
    ["one", "two", "three"].map((name) => ({
      name: "fetch",
      input: { url: `https://${name}.invalid/` },
    })),
  ];
}

function lines(count: number, word: string): string {
  return Array.from({ length: count }, (_, line) => `${word} line ${line + 1} of the file\n`).join(
    "",
  );
}

test("typing never answers a request: an edited prompt that starts keeps its text and the focus", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("wait");
  await page.locator(".ask-card").waitFor();
  await user.send("write typed.txt");
  await clickInRow(page.locator(".queue-row"), "Edit");
  const box = page.locator(".queue-edit textarea");
  await box.pressSequentially(" and more");
  const [question] = (await session.asks({ open: true })).items;
  await session.answer(question?.askId ?? "", { verdict: "allow", text: "yes" });
  await page.getByText("This prompt started before your change was saved").waitFor();
  await page.locator(".ask-card", { hasText: "Change typed.txt?" }).waitFor();
  await page.keyboard.type("yyxx");
  assert.equal(await box.inputValue(), "write typed.txt and moreyyxx");
  assert.equal(await page.locator(".ask-card kbd").count(), 0, "no key is offered while typing");
  await page.keyboard.press("Escape");
  // The focus is in the composer now, so that further letters are text too.
  await page.keyboard.type("y");
  assert.equal(await page.locator("#composer").inputValue(), "y");
  await page.locator(".virtual-list").focus();
  await page.keyboard.press("y");
  assert.equal((await session.asks({ open: true })).items.length, 1, "too early for a key");
  await page.locator(".ask-card [data-key=allow] kbd").waitFor();
  await page.keyboard.press("y");
  await page.locator(".step", { hasText: "Done." }).nth(1).waitFor();
  assert.ok(existsSync(join(server.project, "typed.txt")));
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("letter keys can be turned off", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await page.goto(`${server.url}/settings/look`);
  await page.getByLabel(/single-key/).uncheck();
  await page.goto(`${server.url}/sessions/${session.sessionId}`);
  await user.send("write off.txt");
  await page.locator(".ask-card").waitFor();
  await page.locator(".virtual-list").focus();
  await page.keyboard.press("n");
  await page.keyboard.press("y");
  assert.equal(new URL(page.url()).pathname, `/sessions/${session.sessionId}`);
  assert.equal((await session.asks({ open: true })).items.length, 1);
  assert.equal(await page.locator(".ask-card kbd").count(), 0);
  await page.goto(`${server.url}/sessions/${session.sessionId}/timeline`);
  await page.locator(".prompt-bar").first().waitFor();
  await page.keyboard.press("+");
  await page.getByLabel("Zoom out").and(page.locator(":disabled")).waitFor();
  await session.cancel();
  await user.close();
});

test("a request for a long rewrite has the server's counts, marks what it leaves out and opens the whole diff", async () => {
  writeFileSync(join(server.project, "long.txt"), lines(400, "old"));
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("rewrite long.txt");
  const card = page.locator(".ask-card");
  await card.getByText("+900").waitFor();
  await card.getByText("−400").waitFor();
  const omitted = card.locator(".diff-omitted");
  assert.match(String(await omitted.textContent()), /^\d+ more lines are not shown here/);
  assert.equal(await card.locator("tr", { hasText: "left out" }).count(), 0);
  await omitted.getByRole("button", { name: "Show the whole diff" }).click();
  await card.locator("tr.add", { hasText: "new line 900 of" }).waitFor();
  assert.equal(await card.locator("tr.remove").count(), 400);
  assert.equal(await card.locator("tr.add").count(), 900);
  await card.getByText("Allow once").click();
  await page.locator(".call", { hasText: "write" }).getByText("+900").waitFor();
  await page.locator(".step", { hasText: "Done." }).waitFor();
  assert.equal(readFileSync(join(server.project, "long.txt"), "utf8"), lines(900, "new"));
  await session.delete();
  await user.close();
});

test("the button that remembers an answer names what it covers, and covers no more", async () => {
  mkdirSync(join(server.project, "src"));
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("write src/a.txt");
  await page.getByRole("button", { name: "Allow changes in src/ in this session" }).waitFor();
  await page.getByRole("button", { name: "Always allow changes in src/" }).click();
  await page.locator(".step", { hasText: "Done." }).waitFor();
  await (await session.prompt("write src/b.txt")).settled();
  assert.ok(existsSync(join(server.project, "src/b.txt")));
  await user.send("write elsewhere.txt");
  await page.getByRole("button", { name: "Always allow changes to elsewhere.txt" }).waitFor();
  await session.cancel();
  await user.close();
});

test("requests are answered together, and a denial can be taken back until it is sent", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("fetch");
  const cards = page.locator(".ask-card");
  await cards.nth(2).waitFor();
  await page.getByRole("button", { name: "Deny all 3" }).click();
  await cards.nth(1).getByRole("button", { name: "Take back" }).click();
  await cards.nth(0).getByRole("button", { name: "Send now" }).click();
  // A card stays until the server has confirmed the answer.
  await cards.nth(2).waitFor({ state: "detached" });
  await page.locator(".ask-card", { hasText: "Denied." }).getByText("Send now").click();
  await cards.nth(1).waitFor({ state: "detached" });
  const open = (await session.asks({ open: true })).items;
  assert.deepEqual(
    open.map(({ question }) => question),
    ["May the agent fetch https://two.invalid/?"],
  );
  // A denial is sent at once if the user leaves the page.
  await cards.getByRole("button", { name: "Deny" }).click();
  await cards.getByText("Take back").waitFor();
  await page.goto("about:blank");
  const [prompt] = (await session.prompts()).items;
  await session.promptById(prompt?.promptId ?? "").settled();
  const answers = (await session.asks()).items.map(({ closed }) => closed?.resolution);
  assert.deepEqual(
    answers.map((answer) => (answer?.kind === "answered" ? answer.verdict : answer?.kind)),
    ["deny", "deny", "deny"],
  );
  await user.close();
});

test("the permission mode is shown and switched in the composer, and other clients share it", async () => {
  const { user, session } = await server.openSession();
  const { page } = user;
  const field = page.getByLabel("Permission mode");
  const shows = (mode: string) =>
    page.locator(`select.mode-choice:has(option[value=${mode}]:checked)`);
  await shows("ask").waitFor();
  await field.selectOption("Plan");
  await user.toast.getByText("Changes are refused").waitFor();
  await user.send("write planned.txt");
  await page.locator(".step", { hasText: "Done." }).waitFor();
  assert.ok(!existsSync(join(server.project, "planned.txt")));
  await user.send("/mode accept edits");
  await shows("acceptEdits").waitFor();
  assert.equal((await session.get()).mode, "acceptEdits");
  await user.send("write accepted.txt");
  await page.locator(".step", { hasText: "Done." }).nth(1).waitFor();
  assert.ok(existsSync(join(server.project, "accepted.txt")));
  assert.equal((await session.asks()).items.length, 0, "no mode asked");
  await session.setMode("ask");
  await shows("ask").waitFor();
  await user.send("/mode reckless");
  await user.toast.getByText("Unknown mode: reckless").waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("the undo of a run that created a file says that the file will be deleted, and shows no diff", async () => {
  const { user } = await server.openSession();
  const { page } = user;
  await user.send("write created.txt");
  await page.locator(".ask-card").getByText("Allow once").click();
  await page.locator(".step", { hasText: "Done." }).waitFor();
  await page.locator(".prompt").hover();
  await page.getByLabel("Undo file changes").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("will be deleted: this run created the file").waitFor();
  assert.doesNotMatch(await dialog.innerText(), /\+0|removes/);
  await dialog.getByRole("button", { name: "Undo", exact: true }).click();
  await user.toast.getByText("File changes undone").waitFor();
  assert.equal(existsSync(join(server.project, "created.txt")), false);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("the changes of a run are reviewed, and one file is undone", async () => {
  for (const name of ["keep.txt", "undo.txt"]) writeFileSync(join(server.project, name), "old\n");
  const { user, session } = await server.openSession();
  const { page } = user;
  await user.send("both");
  for (const name of ["keep.txt", "undo.txt"]) {
    await page.locator(".ask-card", { hasText: name }).getByText("Allow once").click();
  }
  await page.locator(".step", { hasText: "Done." }).waitFor();
  await page.getByRole("button", { name: "Read 2 files" }).click();
  await page.locator(".looks .call").nth(1).waitFor();
  await page.locator(".prompt").hover();
  await page.getByLabel("Review file changes").click();
  await page.locator(".changes-sum", { hasText: "2 files+2 −2" }).waitFor();
  await page.locator(".change", { hasText: "undo.txt" }).locator("tr.add").waitFor();
  const texts = () =>
    ["keep.txt", "undo.txt"].map((name) => readFileSync(join(server.project, name), "utf8"));
  // Without a chosen editor, the link leads to the setting.
  await page.locator(".change", { hasText: "keep.txt" }).getByText("Open in an editor…").click();
  await page.getByLabel("Editor that opens changed files").selectOption("VS Code");
  await page.goBack();
  const inEditor = page.locator(".change", { hasText: "keep.txt" }).getByText("Open in VS Code");
  assert.equal(
    await inEditor.getAttribute("href"),
    `vscode://file${realpathSync(server.project)}/keep.txt:1`,
  );
  const dialog = page.getByRole("dialog");
  const keep = page.locator(".change", { hasText: "keep.txt" });
  await keep.locator("tr.add .line-button").click();
  await page.getByPlaceholder("This comment goes into your next prompt").fill("Too short");
  await page.getByRole("button", { name: "Add comment" }).click();
  await page.getByLabel("Undo changes to undo.txt").click();
  await dialog.getByText("The file will be restored to its content before the run.").waitFor();
  await dialog.getByRole("button", { name: "Undo", exact: true }).click();
  await user.toast.getByText("Changes to undo.txt undone").waitFor();
  await page.locator(".changes-sum", { hasText: "1 file+1 −1" }).waitFor();
  assert.deepEqual(texts(), ["written\n", "old\n"]);
  // A file that was changed again later is undone only after a clear warning.
  writeFileSync(join(server.project, "keep.txt"), "by hand\n");
  await page.reload();
  await page.getByLabel("Undo changes to keep.txt").click();
  await dialog.getByText("These changes will be lost.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Undo this run" }).click();
  await dialog.getByText("conflict: the file was changed after the run").waitFor();
  await dialog.getByLabel(/^Also undo changes to files with conflicts/).check();
  await dialog.getByRole("button", { name: "Undo", exact: true }).click();
  await user.toast.getByText("File changes undone").waitFor();
  await page.getByText("No file changes are recorded.").waitFor();
  // The comment is still there after the reload, and becomes part of the next prompt.
  await page.locator(".comment-chips", { hasText: "keep.txt:1" }).waitFor();
  await user.send("fix it");
  const prompt = page.locator(".prompt", { hasText: "fix it" });
  await prompt.getByText("fix it\n\nkeep.txt:1\n> written\nToo short").waitFor();
  assert.equal(await page.locator(".comment-chips").count(), 0);
  assert.deepEqual(texts(), ["old\n", "old\n"]);
  assert.deepEqual(user.problems, []);
  await session.delete();
  await user.close();
});

/** Window sizes in which a request is shown: phones with and without a keyboard, tablets, and a zoom of 200 %. */
const windows = [
  { hasTouch: true, sizes: ["320×640", "390×640", "390×420", "640×360"] },
  { hasTouch: false, sizes: ["820×800", "1000×800", "640×400", "800×450"] },
] as const;

for (const { hasTouch, sizes } of windows) {
  test(`a request fits on ${sizes.join(", ")} px: nothing overlaps, and Deny is in reach`, async () => {
    const { user, session } = await server.openSession({ hasTouch });
    const { page } = user;
    await user.send("rewrite long.txt");
    const card = page.locator(".ask-card");
    const problemsOf = async (parts: string, inReach: Locator | null): Promise<string[]> => {
      const found = await layoutProblems(page, parts);
      const isReachable = inReach === null || (await isInReach(inReach));
      return isReachable ? found : [...found, "Deny is not in reach"];
    };
    /** Checks the page in every size. */
    const look = async (view: string, parts: string, inReach: Locator | null): Promise<void> => {
      for (const size of sizes) {
        const [width = 0, height = 0] = size.split("×").map(Number);
        await page.setViewportSize({ width, height });
        // The diff of the request loads after the card, so the layout may still move for a moment.
        await waitFor(() => problemsOf(parts, inReach), {
          describe: `a page without layout problems (${view}, ${size})`,
          until: (found) => found.length === 0,
        });
      }
    };
    const parts = ".ask-card, .queue-panel, .composer, .page-head";
    await card.getByRole("button", { name: "Deny" }).waitFor();
    await look("request", parts, card.getByRole("button", { name: "Deny" }));
    await session.prompt("say next");
    await page.locator("#composer").fill("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight");
    await page.locator(".queue-row").waitFor({ state: "attached" });
    await look("with a queue and a draft", parts, card.getByRole("button", { name: "Deny" }));
    // The same in Chinese, whose words are shorter, and on the start page.
    await page.evaluate(`localStorage.setItem("holdfast.settings", '{"locale":"zh"}')`);
    await page.reload();
    await card.getByRole("button", { name: "拒绝" }).waitFor();
    await look("Chinese", parts, card.getByRole("button", { name: "拒绝" }));
    await page.goto(server.url);
    await page.locator(".home-bar .button.small").waitFor();
    await look("start page", ".home-form", null);
    await session.delete();
    await user.close();
  });
}
