import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startModelServer } from "../../../gauntlet/model-server/model-server.ts";
import { says } from "../../../gauntlet/model-server/script.ts";
import { oauthServer } from "../../holdfast/test/agent/mcp/servers/oauth.ts";
import { clientId, openGithub } from "../../holdfast/test/agent/model/access/github-server.ts";
import { openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";

test("the page signs in to providers and MCP servers", async (t) => {
  const github = await openGithub(t);
  // The person is done as soon as the page has shown the code.
  github.polls.push({ error: "slow_down", interval: 1 });
  const guarded = await oauthServer(t);
  const server = await openWebServer({
    HOLDFAST_COPILOT_CLIENT_ID: clientId,
    COPILOT_API_URL: github.root,
  });
  t.after(() => server.close());
  const { folder: directory, holdfast } = server;
  const { page, problems } = await openUserPage(server.browser, await server.link());
  const dialog = page.getByRole("dialog");

  await t.test(
    "a provider: the page shows the code and connects when the person is done",
    async () => {
      await page.goto(`${server.url}/settings/providers`);
      await page.getByRole("button", { name: "GitHub Copilot" }).click();
      await dialog.getByText("WDJB-MJHT").waitFor();
      const link = dialog.getByRole("link");
      assert.equal(await link.getAttribute("href"), `${github.root}/login/device`);
      await page.locator(".card", { hasText: "copilot" }).getByText("stored by Holdfast").waitFor();
      await page.locator(".toast", { hasText: /copilot (works|does not work)/ }).waitFor();
      const { items } = await holdfast.providers.list();
      assert.deepEqual(
        items.map(({ name, status, source }) => [name, status, source]),
        [["copilot", "connected", "file"]],
      );
    },
  );

  await t.test(
    "an MCP server: the page never links to a script that the server names",
    async () => {
      const gone = { command: ["/no/such/program"] };
      const config = JSON.stringify({ mcp: { tickets: { url: guarded.url }, gone } }, null, 2);
      await writeFile(join(directory, "holdfast.jsonc"), config);
      const { powers } = await holdfast.config.get({ directory });
      await holdfast.config.trust({ directory, digest: powers?.digest ?? null });
      await holdfast.sessions.create({ directory });
      await page.goto(`${server.url}/settings/mcp`);
      const failed = page.locator(".card", { hasText: "gone" });
      await failed.getByText("there is no program /no/such/program").waitFor();
      assert.match((await failed.textContent()) ?? "", /holdfast\.jsonc:6 /);
      const card = page.locator(".card", { hasText: "tickets" });
      const button = card.getByRole("button", { name: "Sign in" });

      guarded.tricks.authorizationUrl = "javascript:alert(1)";
      await button.click();
      await dialog.waitFor();
      await dialog.locator("p").first().waitFor();
      assert.equal(await dialog.getByRole("link").count(), 0);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });

      guarded.tricks.authorizationUrl = null;
      await button.click();
      const address = new URL((await dialog.getByRole("link").getAttribute("href")) ?? "");
      assert.equal(address.origin, guarded.origin);
      const hidden = await dialog.evaluate(
        ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
      );
      assert.equal(hidden, 0, "the dialog shows the whole address");
      const query = address.searchParams;
      const back = `${query.get("redirect_uri")}?code=c&state=${query.get("state")}`;
      await dialog.getByLabel("Address of the page that did not load").fill(back);
      await dialog.getByRole("button", { name: "Finish" }).click();
      await page.getByText("Signed in to tickets").waitFor();
      await card.getByText("connected", { exact: true }).waitFor();
      assert.equal(await button.count(), 0);
    },
  );
  assert.deepEqual(problems, []);
});

test("without a client id, the page offers to connect GitHub Copilot with a key", async (t) => {
  const server = await openWebServer();
  t.after(() => server.close());
  const { page, problems } = await openUserPage(server.browser, await server.link());
  await page.getByRole("button", { name: "GitHub Copilot" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("you can connect with a key").waitFor();
  await dialog.getByLabel("API key").fill("github_pat_0123456789");
  await dialog.getByLabel("Address").fill("http://127.0.0.1:9");
  await dialog.getByRole("button", { name: "Test and connect" }).click();
  await dialog.getByText("cannot be reached").waitFor();
  await dialog.getByRole("button", { name: "Save anyway" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.goto(`${server.url}/settings/providers`);
  const card = page.locator(".card", { hasText: "copilot" });
  await card.getByText("set up, but the test failed").waitFor();
  assert.deepEqual(problems, []);
});

test("a new provider without a default model offers its models, with their context and price", async (t) => {
  const model = await startModelServer(() => says("Hello."));
  t.after(() => model.close());
  const server = await openWebServer();
  t.after(() => server.close());
  const { page, problems } = await openUserPage(server.browser, await server.link());
  await page.getByRole("button", { name: "OpenAI" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("API key").fill("sk-0123456789");
  await dialog.getByLabel("Address").fill(model.addresses.openaiResponses);
  await dialog.getByRole("button", { name: "Test and connect" }).click();
  const list = page.getByRole("listbox", { name: "Choose the default model of OpenAI" });
  await list
    .getByText(/context window/)
    .first()
    .waitFor();
  const last = list.getByRole("option").last();
  const name = String(await last.locator(".palette-label").textContent());
  await last.click();
  await page.locator(".connect-tiles").waitFor({ state: "detached" });
  const { items } = await server.holdfast.providers.list();
  assert.deepEqual(
    items.map(({ defaultModel }) => `openai/${defaultModel}`),
    [name],
  );
  assert.deepEqual(problems, []);
});
