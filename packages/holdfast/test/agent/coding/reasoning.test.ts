import assert from "node:assert/strict";
import { test } from "node:test";
import { fields } from "../../../../../gauntlet/model-server/protocol.ts";
import { inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { Reply } from "../../../../../gauntlet/model-server/script.ts";
import { usualProfile } from "../../../src/agent/usual-setup.ts";
import { wireEvent } from "../../../src/server/wire/event.ts";
import { openWorld } from "./world.ts";
import type { World } from "./world.ts";

const models = {
  openaiChat: "qwen3",
  openaiResponses: "gpt-5",
  anthropic: "claude-sonnet-5",
  google: "gemini-2.5-pro",
} as const;

for (const protocol of ["openaiChat", "openaiResponses", "anthropic", "google"] as const) {
  test(`effort and reasoning are in the log, and people see both, over ${protocol}`, async (t) => {
    const parts = [{ reasoning: "hm" }, { text: "Yes." }];
    const world = await openWorld(t, {
      protocol,
      model: models[protocol],
      script: () => ({ parts }),
    });
    await world.prompt("p1", { effort: "low" });
    assert.equal((await world.outcome("p1")).text, "Yes.");
    const accepted = await world.event(({ type }) => type === "prompt.accepted");
    assert(accepted.type === "prompt.accepted");
    const body: unknown = JSON.parse(await world.body(accepted.body));
    assert.deepEqual(body, { text: "text of p1", effort: "low" });
    const answered = await world.event(({ type }) => type === "step.answered");
    const { content } = await wireEvent(world.holdfast().store, answered);
    const model = `${providers[protocol]}/${models[protocol]}`;
    const shown = {
      text: "Yes.",
      reasoning: "hm",
      model,
      effort: "low",
      summary: false,
      calls: [],
    };
    assert.deepEqual(content, shown);
    const deltas = world.deltas.filter(({ kind }) => kind === "reasoning");
    assert.equal(deltas.map(({ text }) => text).join(""), "hm");
  });
}

const providers = {
  openaiChat: "local",
  openaiResponses: "openai",
  anthropic: "anthropic",
  google: "google",
} as const;

test("the prompt decides before the agent, the agent before the model, the model before the directory", async (t) => {
  const levels = { agent: "low", model: "medium", directory: "high" } as const;
  const careful = { ...usualProfile, name: "careful", wish: { effort: levels.agent } };
  const open = (wish: object): Promise<World> =>
    openWorld(t, {
      protocol: "openaiResponses",
      model: "gpt-5.4",
      script: inOrder(says("Yes.")),
      facts: wish,
      setup: {
        wish: { effort: levels.directory },
        profiles: new Map([
          ["default", usualProfile],
          ["careful", careful],
        ]),
      },
    });
  const asked: unknown[] = [];
  const send = async (world: World, id: string, named: object): Promise<void> => {
    await world.prompt(id, named);
    await world.outcome(id);
    asked.push(fields(fields(world.server.calls.at(-1)?.body)["reasoning"])["effort"]);
  };
  const world = await open({ wish: { effort: levels.model } });
  await send(world, "p1", { agent: "careful", effort: "xhigh" });
  await send(world, "p2", { agent: "careful" });
  await send(world, "p3", {});
  await send(await open({}), "p1", {});
  assert.deepEqual(asked, ["xhigh", "low", "medium", "high"]);
});

test("if an account gets no summaries of reasoning, later requests do not ask for them", async (t) => {
  const refusal: Reply = {
    status: 400,
    message: "Your organization must be verified to generate reasoning summaries.",
    code: "unsupported_value",
  };
  const script = inOrder(refusal, says("One."), says("Two."));
  const world = await openWorld(t, { protocol: "openaiResponses", model: "gpt-5", script });
  for (const [id, text] of Object.entries({ p1: "One.", p2: "Two." })) {
    await world.prompt(id, { effort: "low" });
    assert.deepEqual(await world.outcome(id), { ended: "completed", text });
  }
  assert.deepEqual(
    world.server.calls.map(({ body }) => fields(body)["reasoning"]),
    [{ effort: "low", summary: "auto" }, { effort: "low" }, { effort: "low" }],
  );
});

test("the title of a session is requested without thinking", async (t) => {
  const world = await openWorld(t, {
    protocol: "openaiResponses",
    model: "gpt-5.4",
    script: inOrder(says("Yes.")),
    title: inOrder(says("A name")),
    settings: { titles: true },
  });
  await world.prompt("p1", { effort: "high" });
  await world.event(({ type }) => type === "session.renamed");
  const { titles } = world.server;
  assert.deepEqual(
    titles.map(({ body }) => fields(body)["reasoning"]),
    [{ effort: "none" }],
  );
});
