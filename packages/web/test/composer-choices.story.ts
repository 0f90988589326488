import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { startModelServer } from "../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../gauntlet/model-server/model-server.ts";
import { says } from "../../../gauntlet/model-server/script.ts";
import { waitFor } from "../../holdfast/test/support/wait-for.ts";
import { fillDirectory, openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";
import type { WebServer } from "./support/web-server.ts";

let server: WebServer;
let model: ModelServer;

before(async () => {
  model = await startModelServer(() => says("Hello from the model."));
  server = await openWebServer();
});

after(async () => {
  await server.close();
  await model.close();
});

// Choices in the composer, in a real browser.

test("the list of models has context and price, and the chosen one answers the next prompt", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  await page.locator(".sidebar").waitFor();
  await server.holdfast.providers.connect("openai", {
    key: "sk-0123456789",
    baseUrl: model.addresses.openaiResponses,
  });
  const session = await server.holdfast.sessions.create({ directory: server.folder });
  await page.goto(`${server.url}/sessions/${session.sessionId}`);
  await page.locator("button.run-choice").click();
  const list = page.getByRole("listbox");
  await list
    .getByText(/context window · .* out per 1M tokens/)
    .first()
    .waitFor();
  await page.keyboard.type("openai gpt");
  const first = list.getByRole("option").first();
  await first.getByText(/^openai\/gpt/).waitFor();
  const name = String(await first.locator(".palette-label").textContent());
  await page.keyboard.press("Enter");
  // The check mark is at the chosen model, not at the entry for the default.
  await page.locator("button.run-choice").click();
  const marked = list.locator('[role=option]:has(path[d="M3 8.5 6.5 12 13 4.5"])');
  await marked
    .filter({ hasText: name })
    .getByText(/context window/)
    .waitFor();
  assert.equal(await marked.count(), 1);
  await page.keyboard.press("Escape");
  await user.send("Say hello");
  await user.answer.getByText("Hello from the model.").waitFor();
  const [prompt] = (await session.prompts()).items;
  assert.equal(prompt?.model, name);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a list of more than 200 models says how many are left out", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  const session = await server.holdfast.sessions.create({ directory: server.folder });
  const { items, ...rest } = await server.holdfast.providers.models({ limit: 1 });
  const many = Array.from({ length: 250 }, (_, place) => ({ ...items[0], id: `lab/m${place}` }));
  await page.route("**/v1/models*", (route) => route.fulfill({ json: { ...rest, items: many } }));
  await page.goto(`${server.url}/sessions/${session.sessionId}`);
  await page.locator("button.run-choice").click();
  await page.getByText("50 more models match").waitFor();
  await page.keyboard.type("m249");
  await page.getByText("more models match").waitFor({ state: "detached" });
  await page.getByRole("option", { name: "lab/m249" }).waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("@ completes the path of a file or another session, and the chosen effort goes with the prompt", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  await page.locator(".sidebar").waitFor();
  const project = join(server.folder, "mentions");
  mkdirSync(join(project, "src"), { recursive: true });
  for (const name of ["src/checkout.ts", "src/order.ts"]) writeFileSync(join(project, name), "");
  const session = await server.holdfast.sessions.create({ directory: project });
  const other = await server.holdfast.sessions.create({
    directory: project,
    title: "The <b>checkout</b> redesign",
  });
  await page.goto(`${server.url}/sessions/${session.sessionId}`);
  await page.locator("#composer").click();
  await page.keyboard.type("Explain @che");
  await page.locator(".command-list", { hasText: "src/checkout.ts" }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("to ann@example.com as in @redes");
  await page.getByRole("option", { name: "The <b>checkout</b> redesign" }).waitFor();
  const chosen = page.locator(
    `#${await page.locator("#composer").getAttribute("aria-activedescendant")}`,
  );
  assert.equal(await chosen.getAttribute("aria-selected"), "true");
  await page.keyboard.press("Tab");
  const mention = `@${other.sessionId} ("The <b>checkout</b> redesign")`;
  const text = `Explain @src/checkout.ts to ann@example.com as in ${mention}`;
  assert.equal((await page.locator("#composer").inputValue()).trim(), text);
  assert.equal(await page.locator(".command-list").count(), 0);
  await page.getByLabel("Reasoning effort").selectOption("high");
  await page.locator("#composer").press("Enter");
  await user.answer.getByText("Hello from the model.").waitFor();
  const [prompt] = (await session.prompts()).items;
  assert.deepEqual([prompt?.text, prompt?.effort], [text, "high"]);
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("the start page offers the model, files, commands and earlier prompts of the directory", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  const composer = page.locator("#composer");
  const project = join(server.folder, "start");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src/checkout.ts"), "");
  await fillDirectory(page, project);
  const picker = page.locator("button.run-choice");
  await picker.click();
  await page.keyboard.type("openai gpt");
  const first = page.getByRole("listbox").getByRole("option").first();
  await first.getByText(/^openai\/gpt/).waitFor();
  const name = String(await first.locator(".palette-label").textContent());
  await page.keyboard.press("Enter");
  await page.getByLabel("Reasoning effort").selectOption("high");
  await composer.fill("/");
  await page.getByRole("option", { name: "/compact" }).waitFor();
  assert.equal(await page.getByRole("option", { name: "/fork" }).count(), 0, "it needs a session");
  await composer.fill("/nonsense");
  await composer.press("Enter");
  await user.toast.getByText("nonsense").waitFor();
  await composer.fill("");
  // No space before the mention, as in Chinese.
  await page.keyboard.type("解释@che");
  await page.locator(".command-list", { hasText: "src/checkout.ts" }).waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await composer.inputValue(), "解释@src/checkout.ts ");
  await page.keyboard.press("Enter");
  await user.answer.getByText("Hello from the model.").waitFor();
  const sessionId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const { items } = await server.holdfast.session(sessionId).prompts();
  assert.deepEqual(
    items.map(({ text, model: used, effort }) => ({ text, used, effort })),
    [{ text: "解释@src/checkout.ts", used: name, effort: "high" }],
  );
  assert.equal(await picker.textContent(), name, "the choice stays for the next prompts");
  await page.goto(server.url);
  await composer.focus();
  await page.keyboard.press("ArrowUp");
  assert.equal(await composer.inputValue(), "解释@src/checkout.ts");
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("a draft is not lost when a prompt from the history is edited", async () => {
  const session = await server.holdfast.sessions.create({ directory: server.folder });
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  const composer = page.locator("#composer");
  await page.goto(`${server.url}/sessions/${session.sessionId}`);
  await user.send("an earlier prompt");
  await user.answer.getByText("Hello from the model.").waitFor();
  await composer.fill("half a thought");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowUp");
  assert.equal(await composer.inputValue(), "an earlier prompt");
  await page.keyboard.type(" again");
  assert.equal(await composer.inputValue(), "an earlier prompt again");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowUp");
  assert.equal(await composer.inputValue(), "half a thought");
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("models, modes and commands of a hosted agent can be chosen after its first run", async () => {
  const stub = join(import.meta.dirname, "../../holdfast/test/support/stub-agent.ts");
  const home = `STUB_HOME=${join(server.folder, "stub")}`;
  const acp = { command: ["env", home, "STUB_MODE=offers", process.execPath, stub] };
  const config = join(server.folder, "data/.config/holdfast/config.jsonc");
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, JSON.stringify({ agent: "stub", agents: { stub: { acp } } }));
  const project = join(server.folder, "hosted");
  mkdirSync(project);
  const session = await server.holdfast.sessions.create({ directory: project });
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  await page.goto(`${server.url}/sessions/${session.sessionId}`);
  const composer = page.locator("#composer");
  await composer.fill('usage {"used":40,"size":100}\nsay the first');
  await composer.press("Enter");
  await user.answer.getByText("the first").waitFor();
  await page.getByText("context 40 %").waitFor();
  await page.getByLabel("Model of stub").selectOption("Model large");
  await page.getByLabel("Mode of stub").selectOption("Mode yolo");
  await composer.fill("/rev");
  await page.getByRole("option", { name: "Review the changes" }).waitFor();
  await composer.fill("/review it");
  await composer.press("Enter");
  const { items } = await session.prompts();
  const prompt = await session.promptById(items.at(-1)?.promptId ?? "").settled();
  const { text, model: chosen, agentMode, command } = prompt.entry;
  assert.deepEqual(
    { text, chosen, agentMode, command },
    {
      text: "/review it",
      chosen: "large",
      agentMode: "yolo",
      command: { name: "review", arguments: "it" },
    },
  );
  // The agent is chosen for the session: the server stores it, and the page shows what another client sets.
  const agent = page.getByLabel("Agent", { exact: true });
  await agent.selectOption("default");
  await composer.fill("say the second");
  await composer.press("Enter");
  await user.answer.getByText("Hello from the model.").waitFor();
  assert.equal((await session.get()).agent, "default");
  await session.setAgent(null);
  await waitFor(() => agent.inputValue(), {
    describe: "the default agent in the field",
    until: (value) => value === "",
  });
  assert.deepEqual(user.problems, []);
  await user.close();
});
