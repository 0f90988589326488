import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openVisits } from "./support/signed-in-server.ts";
import type { Visits } from "./support/signed-in-server.ts";

let house: Visits;

before(async () => {
  house = await openVisits();
});

after(() => house.close());

// Passes with and without a sandbox; CI runs both.
test("the page of a session says if commands run without a sandbox", async () => {
  const { sandbox } = await house.holdfast.status();
  assert.equal(sandbox.name === null, sandbox.problem !== null);
  await house.inSession(async ({ page }, session) => {
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
