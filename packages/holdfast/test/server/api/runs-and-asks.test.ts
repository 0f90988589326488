import assert from "node:assert/strict";
import { test } from "node:test";
import { localSecurity } from "../../../src/server/local-security.ts";
import type { Security } from "../../../src/server/ports.ts";
import { call } from "../../runner/support/puppets.ts";
import { openAsk, openTestServer } from "./test-server.ts";
import type { Json } from "./test-server.ts";

/** Security that takes the principal from a header. */
function named(): Security {
  const local = localSecurity();
  return {
    ...local,
    authenticate: async (request, source) => ({
      ...(await local.authenticate(request, source)),
      actor: { kind: "client", id: request.headers.get("x-holdfast-client") ?? "nobody" },
    }),
  };
}

test("R4 the first answer to an ask counts, and later ones get its author", async (t) => {
  const { place, ask } = await openTestServer(t, { security: named() });
  const { run, asked } = await openAsk(place);

  const open = await ask("GET", "/v1/asks");
  assert.deepEqual(
    open.json.items.map(({ sessionId, askId, question }: Json) => [sessionId, askId, question]),
    [["main", "ask1", "write?"]],
  );
  assert.equal((await ask("GET", "/v1/sessions/main")).json.status, "asking");
  const answer = (client: string, verdict: string) =>
    ask("POST", "/v1/sessions/main/asks/ask1/answer", {
      body: { verdict, text: `says ${client}`, remember: "session" },
      headers: { "x-holdfast-client": client },
    });
  const [first, second] = await Promise.all([answer("anna", "allow"), answer("bert", "deny")]);
  const [winner, loser] = first.status === 200 ? [first, second] : [second, first];
  const name = winner === first ? "anna" : "bert";
  assert.deepEqual(
    [winner.status, winner.json.closed.actor, winner.json.answer],
    [200, { kind: "client", id: name }, { text: `says ${name}`, remember: "session" }],
  );
  assert.deepEqual(
    [loser.status, loser.code, loser.json.error.details.ask.closed.actor],
    [409, "askClosed", { kind: "client", id: name }],
  );
  assert.deepEqual((await asked).verdict, winner === first ? "allow" : "deny");
  assert.deepEqual((await ask("GET", "/v1/asks")).json, { items: [], cursor: null });
  const all = await ask("GET", "/v1/sessions/main/asks");
  assert.deepEqual(all.json.items, [winner.json]);
  assert.deepEqual((await ask("GET", "/v1/sessions/main/asks?open=true")).json.items, []);
  const unknown = await ask("POST", "/v1/sessions/main/asks/ask2/answer", {
    body: { verdict: "deny" },
  });
  assert.deepEqual([unknown.status, unknown.code], [404, "unknownAsk"]);
  const missing = await ask("GET", "/v1/sessions/main/asks/ask2/preview");
  assert.deepEqual([missing.status, missing.code], [404, "unknownAsk"]);
  assert.deepEqual((await ask("GET", "/v1/sessions/main/asks/ask1/preview")).json, { text: "" });
  await run.say({ type: "toolEnd", callId: "one", status: "denied", output: "no" });
  await run.finish();
});

test("runs are listed with usage and steps, and single events with their content", async (t) => {
  const { place, ask } = await openTestServer(t);
  await place.prompt("a");
  const run = await place.puppets.next();
  const { runId } = run.context;
  await run.boundary();
  const usage = { inputTokens: 3, outputTokens: 2, cost: 0.5 };
  await run.say({ type: "answer", text: "reading", calls: [call("one")], usage });
  await run.startTool("one");
  await run.endTool("one", "x".repeat(100_000));
  await run.finish("done");
  await place.outcome("a");

  const { json: runs } = await ask("GET", "/v1/sessions/main/runs");
  assert.deepEqual(
    runs.items.map((item: Json) => [
      item.runId,
      item.status,
      item.steps,
      item.usage,
      item.promptIds,
    ]),
    [[runId, "ended", 2, usage, ["a"]]],
  );
  assert.deepEqual((await ask("GET", `/v1/sessions/main/runs/${runId}`)).json, runs.items[0]);
  const { json: steps } = await ask("GET", `/v1/sessions/main/runs/${runId}/steps`);
  assert.deepEqual(
    steps.items.map(({ step, calls }: Json) => [step, calls.map(({ status }: Json) => status)]),
    [
      [1, ["completed"]],
      [2, []],
    ],
  );
  const unknown = await ask("GET", "/v1/sessions/main/runs/other/steps");
  assert.deepEqual([unknown.status, unknown.code], [404, "unknownRun"]);
  const { json: plan } = await ask("GET", `/v1/sessions/main/runs/${runId}/revert`);
  assert.deepEqual(plan.files, []);

  const types = await place.types();
  const seq = types.indexOf("tool.ended") + 1;
  const { json: event } = await ask("GET", `/v1/sessions/main/events/${seq}`);
  assert.deepEqual(
    [event.type, event.content.output.length, event.truncated],
    ["tool.ended", 100_000, false],
  );
  for (const at of types.keys()) await ask("GET", `/v1/sessions/main/events/${at + 1}`);
  const beyond = await ask("GET", `/v1/sessions/main/events/${types.length + 1}`);
  assert.deepEqual([beyond.status, beyond.code], [404, "unknownEvent"]);
});

test("M8 a revert is an exclusive operation that can be waited for and looked up", async (t) => {
  const { place, ask } = await openTestServer(t);
  await place.prompt("a");
  const run = await place.puppets.next();
  await run.finish();
  await place.outcome("a");
  const path = `/v1/sessions/main/runs/${run.context.runId}/revert?wait=10`;
  const reverted = await ask("POST", path, { body: { workId: "undo" } });
  assert.deepEqual(
    [reverted.status, reverted.json.status, reverted.json.cause],
    [200, "ended", "done"],
  );
  assert.deepEqual((await ask("POST", path, { body: { workId: "undo" } })).json, reverted.json);
  const works = "/v1/sessions/main/work";
  assert.deepEqual((await ask("GET", `${works}/undo`)).json, reverted.json);
  const unknown = await ask("GET", `${works}/other`);
  assert.deepEqual([unknown.status, unknown.code], [404, "unknownWork"]);
});
