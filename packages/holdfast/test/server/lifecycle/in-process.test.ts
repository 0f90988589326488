import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createHoldfast } from "../../../src/index.ts";
import type { Agent } from "../../../src/index.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const echo: Agent = {
  name: "echo",
  async *run({ prompts, boundary }) {
    await boundary();
    yield { type: "answer", text: prompts.map(({ text }) => text).join(" ") };
  },
};

test("P1 P4 an embedded runtime offers the client interface without a socket", async (t) => {
  const folder = scratchFolder(t, "own");
  const store = join(folder, "holdfast.db");
  const first = await createHoldfast({ agent: echo, store });
  const session = await first.sessions.create({ sessionId: "s", directory: folder });
  const prompt = await session.prompt("hello", { promptId: "p" });
  const types = [];
  for await (const { type } of prompt.events({ deltas: false })) {
    if (type !== "live") types.push(type);
  }
  assert.deepEqual(types, [
    "prompt.accepted",
    "run.started",
    "step.opened",
    "step.answered",
    "prompt.settled",
  ]);
  assert.equal((await first.me()).name, "local");
  await first.close();

  const second = await createHoldfast({ agent: echo, store });
  const { status, text } = await second.session("s").promptById("p").settled();
  assert.deepEqual({ status, text }, { status: "completed", text: "hello" });
  await second.close();
});
