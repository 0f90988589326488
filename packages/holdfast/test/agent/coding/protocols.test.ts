import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fields, list } from "../../../../../gauntlet/model-server/protocol.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Part, Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";

const files = {
  "package.json": `{ "type": "module" }\n`,
  "sum.js": "export const sum = (a, b) => a - b;\n",
  "sum.test.js": `import { test } from "node:test";
import assert from "node:assert";
import { sum } from "./sum.js";
test("sums", () => assert.equal(sum(1, 2), 3));
`,
};

/** An answer with reasoning before it, and with token counts. */
function thinks(reasoning: string, reply: Reply): Reply {
  if ("status" in reply) return reply;
  const usage = { input: 1_000, cached: 400, output: 100 };
  return { ...reply, parts: after({ reasoning }, reply.parts), usage };
}

async function* after(
  first: Part,
  rest: Iterable<Part> | AsyncIterable<Part>,
): AsyncGenerator<Part> {
  yield first;
  yield* rest;
}

const models = {
  openaiChat: "test",
  openaiResponses: "gpt-5",
  anthropic: "claude-sonnet-4-5",
  google: "gemini-2.5-pro",
} as const;

const price = { input: 3, cachedInput: 0.3, output: 15 };
/** Four answers: 600 fresh, 400 cached and 100 tokens of output each. */
const cost = (4 * (600 * 3 + 400 * 0.3 + 100 * 15)) / 1e6;

for (const protocol of ["openaiChat", "openaiResponses", "anthropic", "google"] as const) {
  test(`T1 R2 the agent finds, fixes and tests a bug over ${protocol}`, async (t) => {
    const world = await openWorld(t, {
      protocol,
      model: models[protocol],
      facts: { price },
      files,
      script: inOrder(
        thinks(
          "first I look",
          asks(
            { name: "read", input: { path: "sum.js" }, id: "look-1" },
            { name: "read", input: { path: "sum.test.js" }, id: "look-2" },
          ),
        ),
        thinks(
          "then I mend",
          asks({
            name: "edit",
            input: { path: "sum.js", edits: [{ old: "a - b", new: "a + b" }] },
            id: "mend-1",
          }),
        ),
        thinks("and try", asks({ name: "shell", input: { command: "node --test" }, id: "try-1" })),
        thinks("done", says("The sum is a sum now.")),
      ),
    });
    await world.prompt("p1", { text: "Mend sum.js." });
    assert.deepEqual(await world.outcome("p1"), {
      ended: "completed",
      text: "The sum is a sum now.",
    });
    assert.equal(world.read("sum.js"), "export const sum = (a, b) => a + b;\n");
    const changed = execFileSync("git", ["status", "--short"], { cwd: world.directory });
    assert.equal(changed.toString(), " M sum.js\n");

    const statuses = (await world.log()).flatMap((event) =>
      event.type === "tool.ended" ? [event.status] : [],
    );
    assert.deepEqual(statuses, ["completed", "completed", "completed", "completed"]);
    const [first, second, third, last] = world.server.calls;
    assert(first && second && third && last);
    assert.deepEqual(resultTexts(second).length, 2);
    assert.match(resultTexts(second)[0] ?? "", /a - b/);
    assert.match(resultTexts(second)[1] ?? "", /sums/);
    assert.match(resultTexts(last).at(-1) ?? "", /pass 1/);
    assert.deepEqual(
      last.messages.flatMap(({ calls }) => calls.map(({ id }) => id)),
      protocol === "google"
        ? ["read", "read", "edit", "shell"]
        : ["look-1", "look-2", "mend-1", "try-1"],
    );
    assert.deepEqual(
      last.messages.flatMap(({ signatures }) => signatures),
      signaturesOf[protocol],
    );
    checkWire(protocol, last);

    const row = await world.holdfast().store.lane("main");
    const usage = { inputTokens: 4_000, outputTokens: 400, cost };
    assert.deepEqual(row?.usage, { ...usage, cost: row?.usage.cost });
    assert.ok(Math.abs((row?.usage.cost ?? -1) - usage.cost) < 1e-12, String(row?.usage.cost));
  });
}

/** Data that each provider must get back beside the text, in its own form. */
const signaturesOf = {
  openaiChat: ["first I look", "then I mend", "and try"],
  openaiResponses: ["sealed-rs_0_0", "sealed-rs_1_0", "sealed-rs_2_0"],
  anthropic: ["signed-0-0", "signed-1-0", "signed-2-0"],
  google: ["signed-0-1", "signed-0-2", "signed-1-1", "signed-2-1"],
} as const;

function resultTexts(call: ModelCall): string[] {
  return call.messages.flatMap(({ results }) => results.map(({ text }) => text));
}

const mark = '"cache_control":{"type":"ephemeral"}';

/** Parts that only one protocol has. */
function checkWire(protocol: string, { body }: ModelCall): void {
  const wire = JSON.stringify(body);
  if (protocol === "openaiResponses") {
    assert.match(wire, /"store":false/);
    assert.match(wire, /"include":\["reasoning.encrypted_content"\]/);
    assert.doesNotMatch(wire, /item_reference|previous_response_id/);
  }
  if (protocol === "anthropic") {
    // Cache marks are after the system prompt, at the end of the previous request, and at the end of this one.
    const { system, messages } = fields(body);
    const marks = list(messages).map((message) => JSON.stringify(message).split(mark).length - 1);
    assert.equal(JSON.stringify(system).split(mark).length, 2);
    assert.deepEqual(marks, [0, 0, 0, 0, 1, 0, 1]);
  }
}
