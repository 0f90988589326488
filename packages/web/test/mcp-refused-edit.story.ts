import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";

const rough = join(import.meta.dirname, "../../holdfast/test/agent/mcp/servers/rough.ts");

test("M6 if a config edit is refused, the page lists the MCP servers in use and shows the reason", async (t) => {
  const server = await openWebServer();
  t.after(() => server.close());
  const { folder: directory, holdfast } = server;
  const file = join(directory, "holdfast.jsonc");
  const trust = async (command: string[]): Promise<void> => {
    await writeFile(file, JSON.stringify({ mcp: { rough: { command } } }));
    const { powers } = await holdfast.config.get({ directory });
    await holdfast.config.trust({ directory, digest: powers?.digest ?? null });
  };
  await trust([process.execPath, rough]);
  await holdfast.sessions.create({ directory });
  const { page, problems } = await openUserPage(server.browser, await server.link());
  await page.goto(`${server.url}/settings/mcp`);
  const card = page.locator(".card", { hasText: "rough" });
  await card.getByText("connected", { exact: true }).waitFor();

  await writeFile(file, '{ "mcp": ');
  await page.reload();
  await card.getByText("connected", { exact: true }).waitFor();
  const mistake = page.locator(".problem", { hasText: "a value is expected here" });
  await mistake.waitFor();
  assert.match((await mistake.textContent()) ?? "", /holdfast\.jsonc:1 a value/);

  await trust(["/no/such/program"]);
  await page.reload();
  await page.locator(".problem", { hasText: "there is no program /no/such/program" }).waitFor();
  assert.deepEqual(problems, []);
});
