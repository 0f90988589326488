import assert from "node:assert/strict";
import { test } from "node:test";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import type { Reply } from "../../../../../gauntlet/model-server/script.ts";
import { key, openWorld } from "./world.ts";
import type { World } from "./world.ts";

const settings = { titles: true };

const cases: readonly [name: string, reply: Reply, title: string][] = [
  ["is what the model says", says("Mend the sum"), "Mend the sum"],
  [
    "is one line without what models put around it",
    says('\n# "Mend the sum."\nBecause…'),
    "Mend the sum",
  ],
  ["is cut between words", says("word ".repeat(20)), `${"word ".repeat(11).trimEnd()}…`],
  ["has no key in it", says(`Use ${key}`), "Use [secret]"],
  ["is the first line of the prompt when the model fails", { status: 500 }, "text of p1"],
  ["is the first line of the prompt when nothing is said", says("..."), "text of p1"],
];

for (const [name, reply, title] of cases) {
  test(`a session's title ${name}`, async (t) => {
    const world = await openWorld(t, {
      settings,
      script: () => says("Done."),
      title: () => reply,
    });
    await world.prompt("p1");
    assert.equal((await world.outcome("p1")).text, "Done.");
    assert.equal(await titleOf(world), title);
    await world.prompt("p2");
    await world.outcome("p2");
    const [asked, ...more] = world.server.titles;
    assert.deepEqual(more, []);
    assert.deepEqual(asked?.tools, []);
    assert.match(asked?.messages[0]?.text ?? "", /text of p1/);
  });
}

test("a title that does not arrive delays nothing, and is abandoned when the process ends", async (t) => {
  const world = await openWorld(t, {
    settings,
    script: () => says("Done."),
    title: () => ({ parts: [{ wait: new Promise(() => {}) }] }),
  });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).text, "Done.");
  await world.prompt("p2");
  assert.equal((await world.outcome("p2")).text, "Done.");
  await world.restart();
});

async function titleOf(world: World): Promise<string | null> {
  const renamed = await world.event(({ type }) => type === "session.renamed");
  assert(renamed.type === "session.renamed");
  return renamed.title;
}
