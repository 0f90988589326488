import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openSignedInServer } from "./support/signed-in-server.ts";
import type { SignedInServer } from "./support/signed-in-server.ts";

// Hostile and formatted content in a real browser.

let server: SignedInServer;
let inSession: SignedInServer["inSession"];

before(async () => {
  server = await openSignedInServer();
  ({ inSession } = server);
});

after(() => server.close());

test("time, tokens and cost are below an answer, except for a quick one without numbers", () =>
  inSession(async ({ page }, session) => {
    for (const text of ["say quick", "tokens 1500", "cost 0.25", "words 60 every 20ms"]) {
      await session.prompt(text);
    }
    const facts = page.locator(".step-facts");
    await facts.nth(2).waitFor();
    const [tokens = "", cost = "", time = "", ...others] = await facts.allTextContents();
    assert.match(tokens, /^(\d+ ms · )?1\.5K tokens$/);
    assert.match(cost, /^(\d+ ms · )?\$0\.25$/);
    assert.match(time, /^\d+(\.\d)? s$/);
    assert.deepEqual(others, []);
  }));

test("model output stays text: no scripts, no images, no hidden direction marks", () =>
  inSession(async ({ page, answer }, session) => {
    const hostile = [
      "<img src=x onerror=alert(1)><script>alert(1)</script>",
      "[a](javascript:alert(1)) ![p](https://evil.example/p.png) [ok](https://example.org)",
      "abc\u202edef",
      String.raw`$\href{javascript:alert(1)}{x}$ $\text{<img src=x onerror=alert(1)>}$`,
      String.raw`$$\def\a{\a\a}\a$$`,
    ].join("\n\n");
    await (await session.prompt(hostile)).settled();
    await answer.getByText("onerror").first().waitFor();
    await page.locator(".prompt").waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);
    const links = await page
      .locator(".step a[href]")
      .evaluateAll((all) => all.map((each) => String(each)));
    assert.deepEqual(links, ["https://evil.example/p.png", "https://example.org/"]);
    assert.match(String(await answer.textContent()), /abc⟨U\+202E⟩def/);
    // The formula with harmless text is drawn, and the others stay visible as their source.
    await answer.locator("math mtext", { hasText: "<img src=x" }).waitFor();
    await answer.locator("code", { hasText: "javascript:alert" }).waitFor();
    await answer.locator("code", { hasText: "\\def" }).waitFor();
    assert.equal(await page.locator("main img, main [style*=url], math a").count(), 0);
  }));

test("a link leads to the address that its own answer defines, even if another answer has the same words", () =>
  inSession(async ({ page }, session) => {
    const hosts = ["one.example", "two.example"];
    for (const host of hosts) {
      const text = `Look at the words [of the guide][1] first.\n\nThen go on.\n\n[1]: https://${host}/`;
      await (await session.prompt(text)).settled();
    }
    const links = page.locator(".step a");
    await links.nth(1).waitFor();
    assert.deepEqual(
      await links.evaluateAll((all) => all.map((each) => String(each))),
      hosts.map((host) => `https://${host}/`),
    );
  }));

test("answers show task lists, tables, formulas, footnotes and text in its own direction", () =>
  inSession(async ({ page, answer }, session) => {
    const wide = Array.from({ length: 20 }, (_, place) => `columns${place}`).join(" | ");
    const sums =
      "Then $e^{i\\pi}+1=0$[^e] costs $5 or $6, in $HOME/$USER.\n\n$$\\frac{a}{b}$$\n\n[^e]: By _Euler_.";
    const rule = Array.from({ length: 20 }, () => "--:").join(" | ");
    const text = `\n\n- [x] done\n- [ ] open\n\n3. three\n\n${wide}\n${rule}\n\n${sums}\n\nשלום`;
    await (await session.prompt(text)).settled();
    await answer.locator("table").waitFor();
    await answer.locator('math[display="block"] mfrac').waitFor();
    assert.equal(await answer.locator("math").count(), 2);
    await answer.getByText("costs $5 or $6, in $HOME/$USER").waitFor();
    assert.equal(await answer.locator("sup").count(), 2);
    const note = answer.locator("small", { hasText: "By Euler." });
    await answer.locator("sup a").first().click();
    await note.locator("a:focus").waitFor();
    await page.keyboard.press("Enter");
    await answer.locator("p:has(math) > sup > a:focus").waitFor();
    assert.equal(page.context().pages().length, 1);
    const boxes = answer.locator("input[type=checkbox]");
    assert.deepEqual([await boxes.count(), await boxes.first().isChecked()], [2, true]);
    await answer.getByRole("checkbox", { name: "Done", exact: true }).waitFor();
    await answer.getByRole("checkbox", { name: "Not done" }).waitFor();
    assert.equal(await answer.locator("ol").getAttribute("start"), "3");
    assert.equal(await answer.locator("th").first().getAttribute("align"), "right");
    const column = await answer.locator("th").nth(10).boundingBox();
    assert.ok((column?.height ?? 0) < 60, "a column is as wide as its words");
    const direction =
      'getComputedStyle([...document.querySelectorAll(".step p")].at(-1)).unicodeBidi';
    assert.equal(await page.evaluate(direction), "plaintext");
  }));
