import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { soakAgent } from "./agent-soak.ts";
import { openCrashes } from "./crashes.ts";

test("R2 a command killed by -9 is in doubt: not run again, reported to the model, and in the log", async (t) => {
  const prompts = [{ sessionId: "main", promptId: "p1" }];
  // The process must be killed within this time after the first effect.
  const command = "echo $HOLDFAST_CALL >> effects.txt; sleep 20; echo late >> effects.txt";
  const crashes = await openCrashes(
    inOrder(
      asks({
        name: "shell",
        input: { command },
      }),
      says("I looked, it was there."),
    ),
  );
  t.after(() => crashes.close());
  const first = crashes.start(prompts);
  await waitFor(() => crashes.lines("effects.txt").length, {
    describe: "a line in effects.txt",
    until: (count) => count === 1,
  });
  first.kill();
  await first.dead;
  const second = crashes.start(prompts);
  await second.settled;
  await second.dead;
  const { violations, outcomes, log, bodies } = await crashes.inspect(prompts);
  assert.deepEqual({ violations, outcomes }, { violations: [], outcomes: ["completed"] });
  const calls = log.filter(({ type }) => type === "tool.started" || type === "tool.ended");
  assert.deepEqual(
    calls.map((event) =>
      event.type === "tool.started"
        ? JSON.parse(bodies.get(event.body ?? "") ?? "null")
        : event.type === "tool.ended" && event.status,
    ),
    [
      {
        summary: `run ${command}`,
        files: [],
      },
      "inDoubt",
    ],
  );
  const heard = crashes.server.calls[1]?.messages.flatMap(({ results }) => results) ?? [];
  assert.match(heard[0]?.text ?? "", /may or may not have taken effect\. Check before/);
  assert.equal(new Set(crashes.lines("effects.txt").filter((line) => line !== "late")).size, 1);
});

test("P1 P2 R1 R2 processes of the coding agent are killed with -9, and no command acts twice", async (t) => {
  const total = { resumed: 0, acts: 0 };
  // With some seeds, all prompts end between two kills. Then play again with another seed.
  for (let round = 0; round < 5 && (total.resumed === 0 || total.acts === 0); round += 1) {
    const seed = Math.floor(Math.random() * 1_000_000);
    const { problems, ...counts } = await soakAgent({ kills: 5, seed });
    t.diagnostic(`seed ${seed}: ${JSON.stringify(counts)}`);
    assert.deepEqual(problems, [], `seed ${seed}`);
    total.resumed += counts.resumed;
    total.acts += counts.acts;
  }
  assert.ok(total.resumed > 0 && total.acts > 0, "runs were cut off, and commands have acted");
});
