import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionDetail } from "@holdfast/sdk";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import type { ModeOwner } from "../../src/session/mode.ts";
import { SessionAgent } from "../../src/session/session-agent.ts";
import type { SessionView } from "../../src/session/session-view.ts";

function detail(agent: string | null): SessionDetail {
  return JSON.parse(JSON.stringify({ agent, seq: 1 }));
}

/** A client whose server answers each change of an agent when the test says so. `open` shows a session. */
function openSession() {
  const answers: PromiseWithResolvers<SessionDetail>[] = [];
  const sent: (readonly [sessionId: string, agent: string | null])[] = [];
  const said: string[] = [];
  const owner: ModeOwner & { view: SessionView | null } = {
    view: null,
    say: (text) => void said.push(text),
    act: async (work, view) => {
      const target = view ?? owner.view ?? assert.fail("a session is open");
      await work(target).catch((error: unknown) => said.push(String(error)));
    },
  };
  const open = (sessionId = "A"): void => {
    const view = {
      detail: detail("stored"),
      handle: {
        setAgent: (agent: string | null) => {
          const answer = Promise.withResolvers<SessionDetail>();
          answers.push(answer);
          sent.push([sessionId, agent]);
          return answer.promise;
        },
      },
      learn: (next: SessionDetail) => {
        view.detail = next;
      },
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the agent reads only these fields
    owner.view = view as unknown as SessionView;
  };
  const agent = new SessionAgent(owner);
  return { agent, owner, open, answers, sent, said };
}

test("before the first prompt, the chosen agent is kept for the new session", () => {
  const { agent, open, sent, said } = openSession();
  agent.usual = "usual";
  assert.equal(agent.current, "usual");
  agent.set("planner");
  assert.deepEqual([agent.current, sent, said], ["planner", [], ["Agent: planner"]]);
  open();
  agent.forget();
  assert.equal(agent.current, "stored");
});

test("a chosen agent is stored in the session, prompts wait for it, and the last choice counts", async () => {
  const { agent, open, answers, sent } = openSession();
  open();
  agent.set("planner");
  agent.set(null);
  assert.equal(agent.current, null);
  await Promise.resolve();
  answers[0]?.resolve(detail("planner"));
  const stored = agent.stored.then(() => "stored");
  await waitFor(() => sent.length === 2, { describe: "the second request" });
  const both = [
    ["A", "planner"],
    ["A", null],
  ];
  assert.deepEqual([sent, agent.current], [both, null]);
  assert.equal(await Promise.race([stored, Promise.resolve("waits")]), "waits");
  answers[1]?.resolve(detail(null));
  await stored;
  assert.equal(agent.current, null);
});

test("if the server refuses the agent, the session's agent is shown again", async () => {
  const { agent, open, answers, said } = openSession();
  open();
  agent.set("nobody");
  await Promise.resolve();
  answers[0]?.reject(new Error("there is no agent nobody"));
  await agent.stored;
  assert.equal(agent.current, "stored");
  assert.deepEqual(said, ["Agent: nobody", "Error: there is no agent nobody"]);
});

test("a change of the agent that waits for an earlier one stays with its session after another one is opened", async () => {
  const { agent, open, answers, sent } = openSession();
  open("A");
  agent.set("planner");
  agent.set("reviewer");
  await Promise.resolve();
  open("B");
  agent.forget();
  answers[0]?.resolve(detail("planner"));
  await waitFor(() => sent.length === 2, { describe: "the second request" });
  answers[1]?.resolve(detail("reviewer"));
  await agent.stored;
  assert.deepEqual(sent, [
    ["A", "planner"],
    ["A", "reviewer"],
  ]);
  assert.equal(agent.current, "stored");
});

test("an agent that is set for a session no longer on the screen is not shown for the one that is", async () => {
  const { agent, owner, open, answers, sent, said } = openSession();
  open("A");
  const typedIn = owner.view;
  open("B");
  agent.set("planner", typedIn);
  await waitFor(() => sent.length === 1, { describe: "the request" });
  assert.equal(agent.current, "stored");
  answers[0]?.resolve(detail("planner"));
  await agent.stored;
  assert.deepEqual([agent.current, sent, said], ["stored", [["A", "planner"]], []]);
});
