import assert from "node:assert/strict";
import { test } from "node:test";
import { createDemoAgent } from "../../src/agent/demo/demo-agent.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import { examine } from "../../src/store/doctor/doctor.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";

test("doctor examines a PostgreSQL store and finds a changed outcome", async () => {
  const server = await sharedPostgres();
  try {
    const url = await server.createDatabase();
    const store = await openPostgresStore({ url });
    const holdfast = await createRuntime({ agent: createDemoAgent({ faults: true }), store });
    const sessionId = "main";
    await holdfast.createSession({ sessionId, directory: "/" });
    await holdfast.prompt({ sessionId, promptId: "p1", text: "tool read; child { say hi }" });
    await holdfast.wait({ sessionId, promptId: "p1" });
    const sound = await examine(store);
    await queryOnce(
      url,
      `UPDATE holdfast.prompts SET entry = jsonb_set(entry, '{outcome,status}', '"failed"')
       WHERE prompt_id = 'p1'`,
    );
    const sick = await examine(store);
    await holdfast.close();
    await store.close();
    assert.deepEqual(
      [sound.sessions, sound.prompts, sound.violations, sick.violations],
      [
        2,
        2,
        [],
        [
          {
            sessionId: "main",
            problem: "P4: prompt p1 is on record otherwise than in the log (outcome)",
          },
        ],
      ],
    );
  } finally {
    await server.stop();
  }
});
