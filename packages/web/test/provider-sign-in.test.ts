import assert from "node:assert/strict";
import { test } from "node:test";
import { clientId, openGithub } from "../../holdfast/test/agent/model/access/github-server.ts";
import { openUserPage } from "./support/user-page.ts";
import { openWebServer } from "./support/web-server.ts";

test("the page shows the code of a sign-in and connects the provider when the person is done", async (t) => {
  const github = await openGithub(t);
  // The person is done as soon as the page has shown the code.
  github.polls.push({ error: "slow_down", interval: 1 });
  const server = await openWebServer({
    HOLDFAST_COPILOT_CLIENT_ID: clientId,
    COPILOT_API_URL: github.root,
  });
  t.after(() => server.close());
  const { page, problems } = await openUserPage(server.browser, await server.link());
  await page.goto(`${server.url}/settings/providers`);
  await page.getByRole("button", { name: "Sign in to GitHub Copilot" }).click();
  await page.getByRole("dialog").getByText("WDJB-MJHT").waitFor();
  const link = page.getByRole("dialog").getByRole("link");
  assert.equal(await link.getAttribute("href"), `${github.root}/login/device`);
  await page.locator(".card", { hasText: "copilot" }).getByText("stored by Holdfast").waitFor();
  const { items } = await server.holdfast.providers.list();
  assert.deepEqual(
    items.map(({ name, status, source }) => [name, status, source]),
    [["copilot", "connected", "file"]],
  );
  assert.deepEqual(problems, []);
});
