import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openUserPage } from "./support/user-page.ts";
import { openScriptedServer } from "./support/scripted-server.ts";
import type { ScriptedServer } from "./support/scripted-server.ts";

let server: ScriptedServer;

before(async () => {
  server = await openScriptedServer(() => []);
});

after(() => server.close());

test("a provider's form keeps the key and the address, tests first, and asks before it disconnects", async () => {
  const { holdfast, browser } = server;
  const [lab] = (await holdfast.providers.list()).items;
  const key = "sk-second-0123456789";
  await holdfast.providers.connect("second", {
    key,
    baseUrl: lab?.baseUrl ?? "",
    protocol: "compatible",
    defaultModel: "old",
  });
  const second = async () =>
    (await holdfast.providers.list()).items.find(({ name }) => name === "second");
  const user = await openUserPage(browser, await server.link());
  const { page } = user;
  await page.locator(".sidebar").waitFor();
  await page.goto(`${server.url}/settings/providers`);
  const card = page.locator(".card", { hasText: "second" });
  await card.getByText("set up, not tested").waitFor();
  await card.getByText("Change", { exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Default model").fill("new");
  await dialog.getByText("Test and save").click();
  await page.locator(".toast", { hasText: "second works" }).waitFor();
  await card.getByText("new", { exact: true }).waitFor();
  await card.getByText("connected", { exact: true }).waitFor();
  const after = await second();
  assert.deepEqual(
    [after?.status, after?.key, after?.baseUrl, after?.defaultModel],
    ["connected", "…6789", lab?.baseUrl, "new"],
  );
  await page.reload();
  await card.getByText("connected", { exact: true }).waitFor();
  // The result of a test does not count for a key that was stored later.
  await holdfast.providers.change("second", { key: "sk-second-0123456780" });
  await page.reload();
  await card.getByText("set up, not tested").waitFor();
  await card.getByText("Change", { exact: true }).click();
  await dialog.getByLabel("Address").fill("http://127.0.0.1:9/v1");
  await dialog.getByText("Test and save").click();
  const field = dialog.locator(".field", { hasText: "API key" });
  await field.getByText("Enter the API key again").waitFor();
  assert.equal(await field.locator("input").getAttribute("aria-invalid"), "true");
  await dialog.getByLabel("API key").fill("sk-third-0123456789");
  await dialog.getByText("Test and save").click();
  await dialog.locator(".field", { hasText: "Address" }).getByText("cannot be reached").waitFor();
  assert.equal((await second())?.baseUrl, lab?.baseUrl);
  await page.keyboard.press("Escape");
  await card.getByText("Disconnect", { exact: true }).click();
  await dialog.getByText("Holdfast deletes the stored API key").waitFor();
  await page.keyboard.press("Escape");
  assert.equal((await second())?.status, "connected");
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("the form for an own server does not call the address optional", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  await page.locator(".sidebar").waitFor();
  await page.goto(`${server.url}/settings/providers`);
  const labels: string[][] = [];
  for (const tile of ["OpenAI", "Ollama", "Other server"]) {
    await page.locator(".connect-tile", { hasText: tile }).last().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("API key").waitFor();
    const field = dialog.locator(".field", { has: page.locator("input[name=baseUrl]") });
    labels.push([tile, ...(await field.locator(":scope > span").allInnerTexts())]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  const hint = "Not needed for a service that Holdfast knows, such as groq or mistral.";
  assert.deepEqual(labels, [
    ["OpenAI", "Address (optional)", ""],
    ["Ollama", "Address", ""],
    ["Other server", "Address", hint],
  ]);
  const { holdfast } = server;
  const [lab] = (await holdfast.providers.list()).items;
  await holdfast.providers.connect("third", { key: null, baseUrl: lab?.baseUrl ?? "" });
  await page.reload();
  await page.locator(".card", { hasText: "third" }).getByText("Change", { exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address", { exact: true }).fill("");
  await dialog.getByText("Test and save").click();
  const field = dialog.locator(".field", { has: page.locator("input[name=baseUrl]") });
  await field.getByText("is not built in. Give its base URL too.").waitFor();
  assert.deepEqual(user.problems, []);
  await user.close();
});

test("the form shows an invalid name at its field and does not offer to save it", async () => {
  const user = await openUserPage(server.browser, await server.link());
  const { page } = user;
  await page.locator(".sidebar").waitFor();
  await page.goto(`${server.url}/settings/providers`);
  await page.locator(".connect-tile", { hasText: "Other server" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.locator(".field", { has: page.locator("input[name=name]") });
  for (const [name, problem] of [
    ["my server", "must be 1 to 200 characters"],
    ["my.server", "must have 1 to 64 letters, digits, _ or -"],
  ] as const) {
    await field.locator("input").fill(name);
    await dialog.getByText("Test and connect").click();
    await field.getByText(problem).waitFor();
    assert.equal(await dialog.getByText("Save anyway").count(), 0);
  }
  assert.deepEqual(user.problems, []);
  await user.close();
});
