import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Part, Reply } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";
import type { World } from "./world.ts";

const soon = { "retry-after-ms": "20" };
const forever = new Promise<never>(() => {});

test("after a 429 or a 500 the request is retried with the right delay and succeeds", async (t) => {
  const times: number[] = [];
  const timed = (reply: Reply) => (): Reply => {
    times.push(performance.now());
    return reply;
  };
  const world = await openWorld(t, {
    script: inOrder(
      timed({ status: 429, headers: { "retry-after": "0.4" }, message: "slow down" }),
      timed({ status: 500, message: "our fault" }),
      timed(says("Here.")),
    ),
    agent: { retryAfter: 200 },
  });
  await world.prompt("p1");
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Here." });
  const [first = 0, second = 0, third = 0] = times;
  assert.ok(second - first >= 395, `waited ${second - first}`);
  assert.ok(third - second >= 195, `waited ${third - second}`);
  assert.equal(await answers(world), 1);
});

test("T3 a connection that is cut during an answer repeats the step and discards its deltas", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(cutAfter("Lost text"), says("Kept words.")),
  });
  await world.prompt("p1");
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Kept words." });
  const shown = world.deltas.map(({ kind, text }) => (kind === "restart" ? kind : text));
  assert.deepEqual(shown, ["Lost text", "restart", "Kept words."]);
  assert.deepEqual((await world.log()).map(({ type }) => type).slice(2), [
    "run.started",
    "step.opened",
    "step.answered",
    "prompt.settled",
    "run.ended",
  ]);
});

test("a connection that is cut at every try fails the run, and the next prompt runs (L4)", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(cutAfter("a"), cutAfter("b"), cutAfter("c"), says("Well.")),
  });
  await world.prompt("p1");
  await world.prompt("p2");
  assert.equal((await world.outcome("p1")).ended, "failed: providerError");
  assert.deepEqual(await world.outcome("p2"), { ended: "completed", text: "Well." });
});

test("a stalled answer is aborted and requested again", async (t) => {
  const world = await openWorld(t, {
    // If this machine pauses, a later try stalls too.
    script: inOrder(stallsAfter("Still"), ...Array.from({ length: 9 }, () => says("Moving."))),
    agent: { stallAfter: 150, maxTries: 10 },
  });
  await world.prompt("p1");
  assert.deepEqual(await world.outcome("p1"), { ended: "completed", text: "Moving." });
});

test("a provider that never answers fails the run as stalled", async (t) => {
  const world = await openWorld(t, {
    script: async () => forever,
    agent: { stallAfter: 100, maxTries: 2 },
  });
  await world.prompt("p1");
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: stalled");
  assert.match(text ?? "", /sent nothing for 0.1 s/);
  // Not the calls that reached the server: on a slow machine, a try may end before.
  assert.equal(world.deltas.filter(({ kind }) => kind === "restart").length, 1);
});

const hopeless = [
  {
    name: "a refused key",
    reply: { status: 401, message: "Incorrect API key provided" },
    reason: "badKey",
    advice: /check the API key/,
  },
  {
    name: "a key without the right for this model",
    reply: {
      status: 403,
      message: "You have insufficient permissions: Missing scopes: model.request",
    },
    reason: "badKey",
    advice: /Missing scopes: model\.request/,
  },
  {
    name: "a quota that is used up",
    reply: { status: 429, code: "insufficient_quota", message: "You exceeded your current quota" },
    reason: "noQuota",
    advice: /add credit/,
  },
  {
    name: "an unknown model",
    reply: { status: 404, code: "model_not_found", message: "The model does not exist" },
    reason: "modelGone",
    advice: /choose another/,
  },
] as const;

for (const { name, reply, reason, advice } of hopeless) {
  test(`L4 ${name} holds the session with its reason until the next prompt`, async (t) => {
    const world = await openWorld(t, { script: inOrder(reply, says("p2"), says("p3")) });
    await world.prompt("p1");
    await world.prompt("p2");
    const { ended, text } = await world.outcome("p1");
    assert.equal(ended, `failed: ${reason}`);
    assert.match(text ?? "", advice);
    const lane = await world.holdfast().store.lane("main");
    assert.deepEqual(
      lane?.holds.map((hold) => (hold.kind === "failure" ? hold.reason : hold.kind)),
      [reason],
    );
    assert.equal(world.server.calls.length, 1);
    await world.prompt("p3");
    assert.deepEqual(
      [await world.outcome("p2"), await world.outcome("p3")],
      [
        { ended: "completed", text: "p2" },
        { ended: "completed", text: "p3" },
      ],
    );
  });
}

test("L4 an unknown model that only the prompt names does not hold the session", async (t) => {
  const unknown = { status: 404, code: "model_not_found", message: "The model does not exist" };
  const world = await openWorld(t, { script: inOrder(unknown, says("p2")) });
  await world.prompt("p1", { model: "local/gone" });
  assert.equal((await world.outcome("p1")).ended, "failed: modelGone");
  assert.deepEqual((await world.holdfast().store.lane("main"))?.holds, []);
  await world.prompt("p2");
  assert.deepEqual(await world.outcome("p2"), { ended: "completed", text: "p2" });
});

test("L4 a provider that names a late retry time holds the session until then", async (t) => {
  const world = await openWorld(t, {
    script: inOrder({ status: 429, headers: { "retry-after": "3600" } }, says("Later.")),
  });
  const before = await world.holdfast().store.now();
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).ended, "failed: providerError");
  const lane = await world.holdfast().store.lane("main");
  const [hold] = lane?.holds ?? [];
  assert(hold?.kind === "failure" && hold.retryAt !== null);
  const wait = hold.retryAt - before;
  assert.ok(wait >= 3_600_000 && wait < 3_660_000, String(wait));
});

test("L4 a temporary failure releases its hold at the time that the provider named", async (t) => {
  const world = await openWorld(t, {
    script: inOrder({ status: 503, headers: soon }, { status: 503, headers: soon }, says("Up.")),
    agent: { maxTries: 2 },
  });
  await world.prompt("p1");
  await world.prompt("p2");
  assert.equal((await world.outcome("p1")).ended, "failed: providerError");
  assert.deepEqual(await world.outcome("p2"), { ended: "completed", text: "Up." });
});

for (const protocol of ["openaiChat", "openaiResponses", "anthropic", "google"] as const) {
  test(`an answer blocked by a content filter over ${protocol} fails with advice`, async (t) => {
    const world = await openWorld(t, {
      protocol,
      script: inOrder({ parts: [{ text: "I" }], finish: "filter" }, says("p2")),
    });
    await world.prompt("p1");
    await world.prompt("p2");
    const { ended, text } = await world.outcome("p1");
    assert.equal(ended, "failed: contentFilter");
    assert.match(text ?? "", /rephrase the prompt, or choose another model/);
    assert.equal((await world.outcome("p2")).text, "p2");
  });
}

test("an answer that reaches the model's limit ends with a note about it", async (t) => {
  const world = await openWorld(t, {
    script: inOrder({ parts: [{ text: "As far as" }], finish: "length" }),
  });
  await world.prompt("p1");
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "completed");
  assert.match(text ?? "", /^As far as\n\n\[The answer reached the model's length limit/);
});

test("C5 a cancel during a retry delay ends the run at once", async (t) => {
  const world = await openWorld(t, {
    script: inOrder({ status: 429, headers: { "retry-after": "50" } }),
    settings: { stopGrace: 3_600_000 },
  });
  await world.prompt("p1");
  await waitFor(() => world.deltas, {
    describe: "a restart",
    until: (deltas) => deltas.some(({ kind }) => kind === "restart"),
  });
  await world.holdfast().cancel({ sessionId: "main" });
  assert.equal((await world.outcome("p1")).ended, "cancelled: sessionCancel");
  assert.equal(world.server.calls.length, 1, "it was not tried again");
});

function cutAfter(text: string): Reply {
  const parts: Part[] = [{ text }, { cut: true }];
  return { parts };
}

function stallsAfter(text: string): Reply {
  const parts: Part[] = [{ text }, { wait: forever }];
  return { parts };
}

async function answers(world: World): Promise<number> {
  return (await world.log()).filter(({ type }) => type === "step.answered").length;
}
