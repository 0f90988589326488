import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import type { SessionHandle } from "@holdfast/sdk";
import { addAxe, findings } from "./support/axe.ts";
import { layoutProblems } from "./support/layout.ts";
import { openScriptedServer } from "./support/scripted-server.ts";
import type { ScriptedServer, ToolCalls } from "./support/scripted-server.ts";

// The file changes, the output and the todo list of an agent with a model, in a real browser.

let server: ScriptedServer;

before(async () => {
  server = await openScriptedServer(script);
});

after(() => server.close());

function script(prompt: string): readonly ToolCalls[] {
  if (prompt === "count")
    return [shell("seq 1 500; until [ -e go ]; do sleep 0.05; done; echo end")];
  if (prompt === "plan") {
    const items = [
      { text: "Read the code", status: "done" },
      { text: "Fix the date", status: "active" },
      { text: "Run the tests", status: "open" },
    ];
    return [
      [{ name: "todo", input: { items } }],
      [{ name: "askUser", input: { question: "Go?" } }],
    ];
  }
  const edits = [{ old: "const first = 1;", new: "const second = 1;" }];
  return [
    [{ name: "read", input: { path: "a.ts" } }],
    [{ name: "edit", input: { path: "a.ts", edits } }],
    [{ name: "write", input: { path: "a-long-name-of-a-new-file.ts", content: "new\n" } }],
    shell("echo changed > by-command.txt"),
  ];
}

function shell(command: string): ToolCalls {
  return [{ name: "shell", input: { command } }];
}

/** Runs a prompt, and allows everything that it asks for. */
async function runAllowed(session: SessionHandle, text: string): Promise<void> {
  const prompt = await session.prompt(text);
  let isSettled = false;
  const settled = prompt.settled().finally(() => (isSettled = true));
  await waitFor(
    async () => {
      for (const { askId } of (await session.asks({ open: true })).items) {
        await session.answer(askId, { verdict: "allow" });
      }
      return isSettled;
    },
    { describe: "the end of the run" },
  );
  await settled;
}

test("a filled list of changes fits and has no serious problem, with split view, commands and the undo dialog", async () => {
  writeFileSync(join(server.project, "a.ts"), "const first = 1;\nconst other = 2;\n");
  const { user, session } = await server.openSession({ bypassCSP: true });
  const { page } = user;
  await addAxe(page);
  await runAllowed(session, "change");
  const problems: string[] = [];
  for (const [width, height, isSplit] of [
    [390, 760, false],
    [820, 1000, false],
    [1000, 800, true],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`${server.url}/sessions/${session.sessionId}/changes`);
    const change = page.locator(".change", { hasText: "a.ts" }).last();
    await change.locator("tr").first().waitFor();
    await page.locator(".command-change", { hasText: "by-command.txt" }).waitFor();
    assert.equal(
      await page.getByText("Split", { exact: true }).isVisible(),
      isSplit,
      `${width} px`,
    );
    if (isSplit) {
      await page.getByText("Split", { exact: true }).click();
      await page.locator("table.split").first().waitFor();
    }
    await page.locator(".changed-word").first().waitFor();
    const view = `changes at ${width} px`;
    problems.push(...(await findings(page, view, "main")));
    const parts = ".page-head, .changes-bar, .change-head";
    problems.push(...(await layoutProblems(page, parts)).map((each) => `${view}: ${each}`));
    await page.getByLabel("Undo changes to a.ts").click();
    await page.getByRole("dialog").getByText("Undo the changes to this file?").waitFor();
    problems.push(...(await findings(page, `undo at ${width} px`, "dialog")));
    problems.push(...(await layoutProblems(page, "dialog")).map((each) => `undo: ${each}`));
    await page.keyboard.press("Escape");
  }
  assert.deepEqual([...problems, ...user.problems], []);
  await user.close();
});

test("the start page with a connected model fits on small screens", async () => {
  const { user } = await server.openSession();
  const { page } = user;
  const problems: string[] = [];
  for (const [width, height] of [
    [320, 640],
    [820, 1000],
    [1000, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(server.url);
    await page.locator("button.run-choice", { hasText: "lab/usual" }).waitFor();
    const found = await layoutProblems(page, ".home-form");
    problems.push(...found.map((each) => `${width} px: ${each}`));
  }
  assert.deepEqual([...problems, ...user.problems], []);
  await user.close();
});

test("the todo list stays above the composer while the agent waits, and opens", async () => {
  const { user } = await server.openSession();
  const { page } = user;
  await user.send("plan");
  const panel = page.locator(".todo-panel");
  await panel.locator("summary", { hasText: "Fix the date" }).waitFor();
  await panel.locator("summary").click();
  await panel.locator("li.open", { hasText: "Run the tests" }).waitFor();
  assert.deepEqual(await layoutProblems(page, ".dock"), []);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("the output of a running command shows its end, and the copy button copies all of it", async () => {
  const { user } = await server.openSession({
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const { page } = user;
  await user.send("count");
  await page.locator(".ask-card").getByText("Allow once").click();
  const output = page.locator(".call.running .output").last();
  await output.getByText(/\n500\n/).waitFor();
  assert.doesNotMatch(String(await output.locator("pre").textContent()), /^1\n/);
  await output.locator(".copy-button").click();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.equal(copied.split("\n").slice(0, 500).join(" "), numbers(500));
  writeFileSync(join(server.project, "go"), "");
  await user.answer.getByText("Done.").waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

function numbers(count: number): string {
  return Array.from({ length: count }, (_, place) => String(place + 1)).join(" ");
}
