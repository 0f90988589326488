import assert from "node:assert/strict";
import { test } from "node:test";
import { nothingChosen } from "../../../src/agent/hosted/choose.ts";
import type { Past, PastCall, PastTurn } from "../../../src/agent/hosted/past-turns.ts";
import { planTurn, wasSent } from "../../../src/agent/hosted/turn-plan.ts";
import type { UserMessage } from "../../../src/agent/message.ts";

function prompt(promptId: string, text: string): UserMessage {
  const sender = { actor: { kind: "client", id: "c" }, reply: true, resultOf: null } as const;
  return { role: "user", promptId, text, attachments: [], ...sender };
}

function turn(fields: Partial<PastTurn>): PastTurn {
  const ids = { callId: "t", runId: "r", session: "s" };
  return {
    ...ids,
    mode: "prompt",
    prompts: ["p1"],
    text: "go",
    status: null,
    calls: [],
    ...fields,
  };
}

function steer(promptId: string, status: PastCall["status"]): PastCall {
  return { name: "steer", input: { promptId, text: "left" }, status };
}

function plan(own: readonly PastTurn[], prompts: readonly UserMessage[]) {
  const past: Past = {
    session: "s",
    isCopy: false,
    turns: own,
    cost: 0,
    chosen: nothingChosen,
    missed: [],
    all: prompts,
  };
  const waiting = prompts.filter(({ promptId }) => !wasSent(own, promptId));
  const session = { id: "s", replay: () => [{ type: "user", text: "go" }] as const };
  return planTurn({ past, own, waiting, context: { prompts }, session });
}

test("H6 a waiting prompt with the text of an uncertain steer is sent, and the steer is only named", () => {
  const prompts = [prompt("p1", "go"), prompt("s1", "left"), prompt("s2", "left")];
  const planned = plan([turn({ status: "inDoubt", calls: [steer("s1", "inDoubt")] })], prompts);
  assert.deepEqual(
    planned.prompts.map(({ promptId }) => promptId),
    ["s2"],
  );
  assert.match(planned.introduction, /This message may not have reached you:\nleft/);
  assert.match(planned.introduction, /<request>\ngo\n<\/request>/);
});

test("H2 a lost second turn of a run sends its own prompt again, not that of the completed turn", () => {
  const first = turn({ status: "completed" });
  const second = turn({ callId: "t2", prompts: ["p1", "p2"], text: "then", status: "inDoubt" });
  const planned = plan([first, second], [prompt("p1", "go"), prompt("p2", "then")]);
  assert.deepEqual(
    [planned.mode, planned.prompts.map(({ promptId }) => promptId)],
    ["resend", ["p2"]],
  );
});
