import assert from "node:assert/strict";
import { test } from "node:test";
import { openHostedWorld } from "./world.ts";
import type { HostedWorld } from "./world.ts";

// A copied session has the transcript of the original, but not the original's session of the agent.

const copies: readonly (readonly [
  name: string,
  copy: (world: HostedWorld) => Promise<{ sessionId: string }>,
])[] = [
  ["a fork", ({ runtime }) => runtime.forkSession({ sessionId: "main" })],
  [
    "a fork before its last prompt",
    ({ runtime }) => runtime.forkSession({ sessionId: "main", before: "p2" }),
  ],
  [
    "an import",
    async ({ runtime }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of runtime.exportSession("main")) pieces.push(Buffer.from(piece));
      return runtime.importSession({ document: pieces });
    },
  ],
];

for (const [name, copy] of copies) {
  test(`H3 ${name} gets its own session of the agent, which starts with the transcript and a note`, async (t) => {
    const world = await openHostedWorld(t);
    const { runtime } = world;
    await world.prompt("p1", "say one");
    await world.ended("p1");
    await world.prompt("p2", "say two");
    await world.ended("p2");
    const { sessionId } = await copy(world);
    await runtime.prompt({ sessionId, promptId: "c1", text: "say copied" });
    await runtime.wait({ sessionId, promptId: "c1" });
    await world.prompt("p3", "say three");
    assert.deepEqual(await world.ended("p3"), { ended: "completed", text: "three" });
    const [, , third = "", fourth = ""] = world.lines("prompts");
    assert.match(third, /<transcript>.*User: say one.*<\/transcript>.*say copied/);
    assert.equal(fourth, '"say three"');
    const [own, other] = await Promise.all([foreignOf(world, "main"), foreignOf(world, sessionId)]);
    assert.equal(own.length, 1);
    assert.deepEqual(
      other.filter((id) => own.includes(id)),
      [],
    );
    const log = JSON.stringify(await world.conversation(sessionId));
    assert.match(log, /"note":"This conversation is a copy, so a new session of the agent starts/);
  });
}

/** The agent's sessions to which the session's own prompts were sent. */
async function foreignOf(world: HostedWorld, sessionId: string): Promise<readonly string[]> {
  const messages = await world.conversation(sessionId);
  const inputs = messages.flatMap((message) =>
    message.role === "assistant" && message.copied !== true
      ? message.calls.filter(({ name }) => name === "agent").map(({ input }) => input)
      : [],
  );
  const ids = inputs.map((input) =>
    typeof input === "object" && input !== null && "session" in input ? String(input.session) : "",
  );
  return [...new Set(ids)];
}
