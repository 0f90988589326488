import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, says } from "../../../../../gauntlet/model-server/script.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";

const files = {
  "config/holdfast/config.jsonc": { model: "local/usual", smallModel: "local/small" },
  "config/holdfast/agents/looker.md":
    "---\ndescription: Looks.\nmodel: local/keen\ntools: [read, list]\n---\nOnly look.",
};

test("M7 a child uses the agent that its task names, on its parent's config version", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    files,
    script: ({ system, messages }) => {
      if (system.includes("Only look.")) return says("Seen.");
      const [result] = messages.flatMap((message) => message.results);
      return result === undefined
        ? asks({ name: "task", input: { prompt: "Look around", agent: "looker" } })
        : says(`The child: ${result.text}`);
    },
  });
  await fixture.send("parent", { text: "Have a look", model: "local/named" });
  assert.deepEqual(await fixture.ended("parent"), {
    ended: "completed",
    text: "The child: Seen.",
  });
  const [first, child] = fixture.server.calls;
  assert.deepEqual(
    fixture.server.calls.map(({ model }) => model),
    ["named", "keen", "named"],
  );
  assert.match(JSON.stringify(first?.body), /- default:\\n- looker: Looks\./);
  assert.deepEqual(child?.tools.toSorted(), ["list", "read"]);
});

test("the result of a background child is handled by the agent that sent it", async (t) => {
  const gate = Promise.withResolvers<void>();
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    files: {
      ...files,
      "config/holdfast/agents/lead.md": "---\nmodel: local/lead\n---\nYou lead.",
    },
    script: ({ messages }) => {
      const last = messages.at(-1)?.text ?? "";
      if (last.includes("Look around"))
        return { parts: [{ wait: gate.promise }, { text: "Seen." }] };
      return last === "Have a look"
        ? asks({ name: "task", input: { prompt: "Look around", background: true } })
        : says("Noted.");
    },
  });
  await fixture.send("parent", { text: "Have a look", agent: "lead" });
  await fixture.ended("parent");
  gate.resolve();
  let runs = 0;
  for await (const event of fixture.runtime.events({ sessionId: "parent" })) {
    if (event.type === "run.ended") runs += 1;
    if (runs === 2) break;
  }
  assert.deepEqual(fixture.server.calls.map(({ model }) => model).toSorted(), [
    "lead",
    "lead",
    "lead",
    "usual",
  ]);
});

test("titles are generated with the small model", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    titles: true,
    files,
    script: () => says("Done."),
  });
  await fixture.send("titled", { text: "Hello" });
  await fixture.ended("titled");
  for await (const event of fixture.runtime.events({ sessionId: "titled" })) {
    if (event.type === "session.renamed") break;
  }
  assert.deepEqual(
    fixture.server.titles.map(({ model }) => model),
    ["small"],
  );
});

test("a session that begins with /compact gets its title from the next prompt", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    connected: true,
    titles: true,
    files,
    script: () => says("Done."),
  });
  const { runtime, server } = fixture;
  await fixture.send("main", { command: { name: "compact", arguments: "the names" } });
  await fixture.ended("main");
  await runtime.prompt({ sessionId: "main", promptId: "next", text: "Mend the sum" });
  for await (const event of runtime.events({ sessionId: "main" })) {
    if (event.type === "session.renamed") break;
  }
  assert.deepEqual(
    server.titles.map(({ messages }) => messages[0]?.text),
    ["<prompt>\nMend the sum\n</prompt>"],
  );
});
