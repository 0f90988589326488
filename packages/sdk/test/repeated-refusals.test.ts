import assert from "node:assert/strict";
import { test } from "node:test";
import type { Holdfast } from "../src/index.ts";
import { cut, json, refusal, scripted } from "./support/scripted.ts";
import type { Answer } from "./support/scripted.ts";

// The response to the first attempt is lost. The second attempt is refused, because the first one
// was carried out.

const closedBy = (verdict: string): object => ({
  ask: { askId: "a1", closed: { resolution: { kind: "answered", verdict }, actor: { id: "eve" } } },
});

interface Case {
  readonly name: string;
  readonly refused: Answer;
  /** Response to the request that then checks the server's state. */
  readonly found?: Answer;
  readonly call: (holdfast: Holdfast) => Promise<unknown>;
}

const own: Case[] = [
  {
    name: "an edit that is there",
    refused: refusal(409, "staleRevision"),
    found: json({ text: "new", revision: 2 }),
    call: (holdfast) => holdfast.session("s1").promptById("p1").edit("new", { revision: 1 }),
  },
  {
    name: "a promoted prompt that already runs",
    refused: refusal(409, "notWaiting"),
    found: json({ status: "running" }),
    call: (holdfast) => holdfast.session("s1").promptById("p1").promote(),
  },
  {
    name: "an ask that already has our answer",
    refused: refusal(409, "askClosed", { details: closedBy("allow") }),
    call: (holdfast) => holdfast.session("s1").answer("a1", { verdict: "allow" }),
  },
  {
    name: "a hold that is gone",
    refused: refusal(404, "unknownHold"),
    call: (holdfast) => holdfast.session("s1").release("h1"),
  },
  {
    name: "a session that is already deleted",
    refused: refusal(410, "deleted"),
    found: json({ status: "deleted" }),
    call: (holdfast) => holdfast.session("s1").delete(),
  },
  {
    name: "a fork under our own id, of a session that has changed since",
    refused: refusal(409, "conflict"),
    found: json({ sessionId: "s2" }),
    call: (holdfast) => holdfast.session("s1").fork(),
  },
];

for (const { name, refused, found = json({}), call } of own) {
  test(`a refused retry succeeds if the first attempt was executed: ${name}`, async () => {
    const { holdfast, timing } = scripted([cut, refused, found]);
    await timing.during(call(holdfast));
  });

  test(`without a retry the refusal is thrown: ${name}`, async () => {
    const { holdfast, timing } = scripted([refused, found]);
    await assert.rejects(timing.during(call(holdfast)), { name: "Refused" });
  });
}

const others: Case[] = [
  {
    name: "another edit",
    refused: refusal(409, "staleRevision"),
    found: json({ text: "theirs", revision: 2 }),
    call: (holdfast) => holdfast.session("s1").promptById("p1").edit("new", { revision: 1 }),
  },
  {
    name: "another answer",
    refused: refusal(409, "askClosed", { details: closedBy("deny") }),
    call: (holdfast) => holdfast.session("s1").answer("a1", { verdict: "allow" }),
  },
  {
    name: "a session under an id that the caller chose",
    refused: refusal(409, "conflict"),
    call: (holdfast) => holdfast.sessions.create({ sessionId: "ours", directory: "/project" }),
  },
];

for (const { name, refused, found = json({}), call } of others) {
  test(`a retry that conflicts with the work of others is refused: ${name}`, async () => {
    const { holdfast, timing } = scripted([cut, refused, found]);
    await assert.rejects(timing.during(call(holdfast)), { name: "Refused" });
  });
}
