import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import type { Fact } from "../../src/agent/agent.ts";
import type { Delta } from "../../src/runner/delta-hub.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { InFlight } from "../../src/runner/in-flight.ts";
import { openPostgresPlace } from "../runner/support/place.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

test("T3: a reader on another node gets the text in flight, then each delta, until it is settled", async (t) => {
  const place = await openPostgresPlace(t, { url: await server.createDatabase() });
  const run = await place.openStep("p1");
  const far = place.far(run);
  await run.say(text("Hello, "));
  assert.equal(far.inFlight("main"), null);
  const reader = listen(far, "main");
  await reader.until("Hello, ");
  await run.say(text("world 😀"));
  await run.say({ type: "delta", kind: "tool", callId: "c1", text: "\u0000 line\n" });
  await reader.until("Hello, world 😀", "\u0000 line\n");
  const { runId, attempt } = run.context;
  const flight: InFlight = {
    sessionId: "main",
    runId,
    step: 1,
    attempt,
    text: "Hello, world 😀",
    reasoning: "",
    calls: [{ callId: "c1", text: "\u0000 line\n" }],
    cut: false,
  };
  assert.deepEqual(far.inFlight("main"), flight);
  // A reader that connects now finds the text in flight in this process.
  const all = listen(far, null);
  assert.deepEqual(far.allInFlight(), [flight]);
  await run.answer("Hello, world 😀");
  await gone(far, "main");
  await run.boundary();
  await run.say(text("And "));
  await run.say(text("on"));
  await reader.until("And on");
  await all.until("And on");
  reader.stop();
  all.stop();
  assert.equal(far.inFlight("main"), null);
  await run.answer("And on");
  run.end();
  assert.equal(await place.outcome("p1"), "completed");
});

test("T3: a long text reaches the other node completely, even if its connection breaks meanwhile", async (t) => {
  const url = await server.createDatabase();
  const place = await openPostgresPlace(t, { url });
  const run = await place.openStep("p1");
  const far = place.far(run);
  const reader = listen(far, "main");
  const piece = "€\u0001".repeat(3_000);
  await run.say(text(piece));
  await reader.until(piece);
  await queryOnce(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE '%holdfast_messages%' AND pid <> pg_backend_pid()`,
  );
  await run.say(text("more"));
  await reader.until(`${piece}more`);
  reader.stop();
  await run.finish("done");
  assert.equal(await place.outcome("p1"), "completed");
});

function text(piece: string): Fact {
  return { type: "delta", kind: "text", text: piece };
}

function nothing(): void {}

/** Text that a reader collects. A restart or another step clears it. */
function listen(runtime: Runtime, sessionId: string | null) {
  let said = "";
  let called = "";
  let step = 0;
  let look: () => void = nothing;
  const stop = runtime.deltas(sessionId, (delta: Delta) => {
    if (delta.kind === "restart" || delta.step !== step)
      [said, called, step] = ["", "", delta.step];
    if (delta.kind === "text") said += delta.text;
    if (delta.kind === "tool") called += delta.text;
    look();
  });
  return {
    stop,
    until: (whole: string, output = "") =>
      new Promise<void>((resolve) => {
        look = () => {
          if (said === whole && called === output) resolve();
        };
        look();
      }),
  };
}

/** Waits until the process knows that the run has ended. */
async function gone(runtime: Runtime, sessionId: string): Promise<void> {
  await waitFor(() => runtime.inFlight(sessionId), {
    describe: "nothing in flight",
    until: (flight) => flight === null,
  });
}
