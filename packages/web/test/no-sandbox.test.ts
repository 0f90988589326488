import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

let server: SignedInServer;

before(async () => {
  server = await openSignedInServer();
});

after(() => server.close());

// Passes with and without a sandbox; CI runs both.
test("a session page warns if commands run without a sandbox", async () => {
  const { sandbox } = await server.holdfast.status();
  assert.equal(sandbox.name === null, sandbox.problem !== null);
  await server.inSession(async ({ page }, session) => {
    const prompt = await session.prompt("say hello");
    await prompt.settled();
    const alert = page.locator(".page-head .no-sandbox");
    if (sandbox.problem === null) {
      await page.locator(".step").first().waitFor();
      assert.equal(await alert.count(), 0);
      return;
    }
    await alert.waitFor();
    assert.equal((await alert.getAttribute("title"))?.includes(sandbox.problem), true);
    await alert.click();
    await page.locator(".health-page .no-sandbox").waitFor();
  });
});
