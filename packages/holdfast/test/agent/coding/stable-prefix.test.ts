import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fields, list } from "../../../../../gauntlet/model-server/protocol.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";

const steps = 20;
const day = 24 * 3_600_000;

const parts = {
  anthropic: { model: "claude-sonnet-5", system: "system", tools: "tools", messages: "messages" },
  openaiResponses: { model: "gpt-5", system: "instructions", tools: "tools", messages: "input" },
  openaiChat: { model: "qwen3", system: "system", tools: "tools", messages: "messages" },
  google: {
    model: "gemini-2.5-pro",
    system: "systemInstruction",
    tools: "tools",
    messages: "contents",
  },
} as const;

for (const protocol of ["anthropic", "openaiResponses", "openaiChat", "google"] as const) {
  test(`each request of a run begins with the same bytes as the previous one, over ${protocol}`, async (t) => {
    const { model, system, tools, messages } = parts[protocol];
    let now = Date.UTC(2026, 0, 1, 12);
    const script = inOrder(
      ...Array.from({ length: steps }, (_, step): Reply => read(step)),
      says("Done."),
    );
    const world = await openWorld(t, {
      protocol,
      model,
      files: { "AGENTS.md": "Be careful.", "a.txt": "one\n" },
      script: (call) => {
        // Everything that a careless system prompt would contain changes during the run.
        now += day;
        writeFileSync(join(world.directory, "AGENTS.md"), `Be careful on day ${now}.`);
        writeFileSync(join(world.directory, `new-${now}.txt`), "new");
        writeFileSync(join(world.directory, ".git/HEAD"), `ref: refs/heads/branch-${now}\n`);
        return script(call);
      },
      agent: { now: () => now },
    });
    await world.prompt("p1", { effort: "low" });
    assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Done." });
    const requests = world.server.calls.map(({ body }) => fields(unmarked(body)));
    assert.equal(requests.length, steps + 1);
    const settings = requests.map((request) => JSON.stringify({ ...request, [messages]: null }));
    assert.equal(new Set(settings).size, 1);
    const [first] = requests;
    assert(JSON.stringify([first?.[system], first?.[tools]]).includes("Example: "));
    const conversations = requests.map((request) => list(request[messages]).map(bytesOf));
    for (const [place, conversation] of conversations.slice(1).entries()) {
      const before = conversations[place] ?? [];
      assert.deepEqual(conversation.slice(0, before.length), before);
      assert(conversation.length > before.length);
    }
  });
}

function read(step: number): Reply {
  const call = { name: "read", input: { path: "a.txt", limit: step + 1 }, id: `call-${step}` };
  const reply = asks(call);
  if (!("parts" in reply)) return reply;
  return { ...reply, parts: [{ reasoning: `step ${step}` }, { call }] };
}

/** Cache marks move with the end of the conversation and are no part of the prompt. */
function unmarked(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body).replaceAll(/,"cache_control":\{"type":"ephemeral"\}/g, ""),
  );
}

function bytesOf(message: unknown): string {
  return JSON.stringify(message);
}

test("requests of a session share one cache key in all runs, and other sessions have another", async (t) => {
  const world = await openWorld(t, {
    protocol: "openaiResponses",
    model: "gpt-5",
    script: () => says("Yes."),
  });
  const { directory } = world;
  await world.holdfast().createSession({ sessionId: "other", directory });
  for (const [promptId, sessionId] of [
    ["p1", "main"],
    ["p2", "main"],
    ["p3", "other"],
  ] as const) {
    await world.prompt(promptId, { sessionId });
    await world.outcome(promptId, sessionId);
  }
  const [one, two, other] = world.server.calls.map(({ body }) => fields(body)["prompt_cache_key"]);
  assert.match(String(one), /^[0-9a-f]{32}$/);
  assert.equal(two, one);
  assert.notEqual(other, one);
});
