import assert from "node:assert/strict";
import { test } from "node:test";
import type { TitleContext } from "../../src/agent/agent.ts";
import type { UserMessage } from "../../src/agent/message.ts";
import { openSqlitePlace } from "./support/place.ts";
import type { Place, Settings } from "./support/place.ts";
import { createPuppets } from "./support/puppets.ts";
import type { Puppets } from "./support/puppets.ts";

type Entitle = (prompt: UserMessage, context: TitleContext) => Promise<string | null>;

function entitled(title: Entitle): { settings: Settings; puppets: Puppets } {
  const puppets = createPuppets();
  const agent = { ...puppets.agent("entitled"), title };
  return { settings: { titles: true, agent }, puppets };
}

async function titleOf(place: Place, sessionId = "main"): Promise<string | null> {
  await place.event(({ type }) => type === "session.renamed", sessionId);
  return (await place.first.holdfast.session(sessionId))?.state.title ?? null;
}

test("without a model, a session's title is the first line of its first prompt", async (t) => {
  const place = await openSqlitePlace(t, { titles: true });
  const text = `\n  Mend\tthe ${"very ".repeat(20)}slow test\nand then rest`;
  const run = await place.openRun("a", { text });
  const title = await titleOf(place);
  assert.equal(title, "Mend the very very very very very very very very very very…");
  await run.finish();
  await (await place.openRun("b", { text: "other" })).finish();
  await place.outcome("b");
  const types = await place.types();
  assert.equal(types.filter((type) => type === "session.renamed").length, 1);
});

test("neither an outcome nor a close waits for an agent's title", async (t) => {
  const asked = Promise.withResolvers<{ prompt: UserMessage; context: TitleContext }>();
  const never = new Promise<never>(() => {});
  const { settings, puppets } = entitled((prompt, context) => {
    asked.resolve({ prompt, context });
    return never;
  });
  const place = await openSqlitePlace(t, settings);
  await place.prompt("a");
  await (await puppets.next()).finish();
  assert.equal(await place.outcome("a"), "completed");
  const { prompt, context } = await asked.promise;
  assert.deepEqual(
    [prompt.text, context.sessionId, context.directory],
    ["text of a", "main", "/project"],
  );
  await place.first.close();
  assert.equal(context.signal.aborted, true);
});

test("an agent's title becomes one line, and if it fails the default is used", async (t) => {
  const titles = new Map<string, () => Promise<string | null>>([
    ["good", async () => " Tests,\u0007 mended \nreally"],
    ["bad", () => Promise.reject(new Error("no model"))],
    ["none", async () => null],
    ["long", async () => "x".repeat(500)],
  ]);
  const { settings, puppets } = entitled(async ({ text }) => (await titles.get(text)?.()) ?? null);
  const place = await openSqlitePlace(t, settings);
  const { holdfast } = place.first;
  const given: (string | null)[] = [];
  for (const text of titles.keys()) {
    await holdfast.createSession({ sessionId: text, directory: "/project" });
    await holdfast.prompt({ sessionId: text, promptId: text, text });
    given.push(await titleOf(place, text));
    await (await puppets.next(text)).finish();
    await place.outcome(text, text);
  }
  assert.deepEqual(given, ["Tests,  mended", "bad", "none", `${"x".repeat(199)}…`]);
});

test("a person's title stays, even if the agent's title arrives later", async (t) => {
  const slow = Promise.withResolvers<string>();
  const { settings, puppets } = entitled(() => slow.promise);
  const place = await openSqlitePlace(t, settings);
  const { holdfast } = place.first;
  await place.prompt("a");
  const run = await puppets.next();
  await holdfast.renameSession({ sessionId: "main", title: "Mine" });
  slow.resolve("The agent's");
  await run.finish();
  await place.outcome("a");
  await holdfast.createSession({ sessionId: "named", directory: "/project", title: "Given" });
  const again = { sessionId: "named", directory: "/project", title: "Given" };
  await holdfast.renameSession({ sessionId: "named", title: "Changed" });
  assert.equal((await holdfast.createSession(again)).title, "Changed");
  assert.equal((await holdfast.session("main"))?.state.title, "Mine");
});

test("slow title requests delay other titles, but no run", async (t) => {
  const asked: string[] = [];
  const slow = Promise.withResolvers<string>();
  const { settings, puppets } = entitled((_, { sessionId }) => {
    asked.push(sessionId);
    return sessionId === "third" ? Promise.resolve("Quick") : slow.promise;
  });
  const place = await openSqlitePlace(t, settings);
  const { holdfast } = place.first;
  for (const sessionId of ["first", "second", "third"]) {
    await holdfast.createSession({ sessionId, directory: "/project" });
    await holdfast.prompt({ sessionId, promptId: sessionId, text: sessionId });
    await (await puppets.next(sessionId)).finish();
    assert.equal(await place.outcome(sessionId, sessionId), "completed");
  }
  assert.deepEqual(asked, ["first", "second"]);
  slow.resolve("Slow");
  assert.equal(await titleOf(place, "third"), "Quick");
});
