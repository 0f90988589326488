import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { examine } from "../../src/store/doctor/doctor.ts";
import { openSqliteReader } from "../../src/store/sqlite/reader.ts";
import type { StoreReader } from "../../src/store/store.ts";
import { openEmbedded } from "./test-cli.ts";
import type { TestCli } from "./test-cli.ts";

/** Sends the same prompt under the same id until a process survives to print the outcome. */
async function runUntilOutcome(
  cli: TestCli,
  text: string,
): Promise<{ kills: number; outcome: string }> {
  let words = ["run", "--json", "--prompt-id", "p", text];
  for (let kills = 0; ; kills += 1) {
    const { end, out } = await cli.run(...words);
    if (end === "SIGKILL") {
      const sessionId = await reading(cli, firstSession);
      words = ["run", "--json", "--session", sessionId, "--prompt-id", "p", text];
      continue;
    }
    const last: { outcome: { status: string; reason: string | null } } = JSON.parse(
      out.trimEnd().split("\n").at(-1) ?? "",
    );
    const { status, reason } = last.outcome;
    return { kills, outcome: reason === null ? status : `${status} ${reason}` };
  }
}

async function reading<Value>(
  cli: TestCli,
  read: (reader: StoreReader) => Promise<Value>,
): Promise<Value> {
  const reader = await openSqliteReader({ file: cli.store });
  try {
    return await read(reader);
  } finally {
    await reader.close();
  }
}

/** The session that is not a child. */
async function firstSession(reader: StoreReader): Promise<string> {
  for (const sessionId of await reader.sessions({ after: null, limit: 100 })) {
    if ((await reader.lane(sessionId))?.parent === null) return sessionId;
  }
  throw new Error("there is no session");
}

test("R1 R2 a run that is killed repeatedly does nothing twice, and calls in doubt are reported", async (t) => {
  const cli = openEmbedded(t, { HOLDFAST_DEMO_FAULTS: "1" });
  const text = [
    "append a.txt one",
    "crash once",
    "crash during append a.txt two",
    "child { append a.txt three; crash once; append a.txt four }",
    "crash during tool read x",
    "append a.txt five",
  ].join("\n");
  assert.deepEqual(await runUntilOutcome(cli, text), { kills: 4, outcome: "completed" });
  const lines = readFileSync(join(cli.folder, "a.txt"), "utf8").replaceAll(/ \[call-\w+\]/g, "");
  assert.equal(lines, "one\ntwo\nthree\nfour\nfive\n");
  const { statuses, violations } = await reading(cli, async (reader) => {
    const log = await reader.events(await firstSession(reader), { after: null, limit: 1_000 });
    const ended = log.flatMap((event) => (event.type === "tool.ended" ? [event.status] : []));
    return { statuses: ended, violations: (await examine(reader)).violations };
  });
  assert.deepEqual(
    { statuses, violations },
    {
      statuses: ["completed", "inDoubt", "completed", "completed", "completed"],
      violations: [],
    },
  );
});

test("R3 a run that kills its process every time is settled as crashLoop", async (t) => {
  const cli = openEmbedded(t, { HOLDFAST_DEMO_FAULTS: "1" });
  assert.deepEqual(await runUntilOutcome(cli, "crash"), { kills: 3, outcome: "failed crashLoop" });
});

test("sessions says how to continue a run whose process was killed, if no server is running", async (t) => {
  const cli = openEmbedded(t, { HOLDFAST_DEMO_FAULTS: "1" });
  const killed = await cli.run("run", "crash once; say after");
  assert.equal(killed.end, "SIGKILL");
  const { out, err } = await cli.run("sessions");
  const [id = ""] = /^[0-9a-f]{8}(?=.*running)/m.exec(out) ?? [];
  const advice = "To continue a session that was cut off by the end of its process";
  const command = `holdfast run --session ${id}`;
  assert.equal(err, `No server is running. ${advice}: ${command}\n`);
  const continued = await cli.run("run", "--session", id);
  assert.deepEqual([continued.end, continued.out], [0, "[demo agent] after\n"]);
  assert.equal((await cli.run("sessions")).err, "");
});
