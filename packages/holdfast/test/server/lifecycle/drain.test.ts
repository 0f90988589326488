import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { openPlace } from "./server-process.ts";
import type { ServerPlace, ServerProcess } from "./server-process.ts";

function place(t: TestContext, options?: { log: string }): ServerPlace {
  const opened = openPlace(options);
  t.after(() => opened.close());
  return opened;
}

/** Resolves when the run of the prompt has started. */
async function running(server: ServerProcess, path: string): Promise<void> {
  await waitFor(async () => JSON.stringify((await server.send("GET", path)).body), {
    describe: `a running prompt at ${path}`,
    until: (body) => body.includes('"status":"running"'),
  });
}

test("M9 a run that has not ended by the deadline continues after the restart, and readers get a notice", async (t) => {
  const { start, folder } = place(t, { log: "warn" });
  const server = await start("--deadline", "1ms");
  await server.send("POST", "/v1/sessions", { body: { sessionId: "s", directory: folder } });
  const body = { promptId: "p", text: "stall" };
  await server.send("POST", "/v1/sessions/s/prompts", { body });
  await running(server, "/v1/sessions/s/prompts/p");
  server.process.kill("SIGTERM");
  const { end, err } = await server.ended;
  assert.deepEqual(
    [end, /"msg":"(?<message>run\.\w+)"/.exec(err)?.groups?.["message"]],
    [0, "run.handedOver"],
  );
  await running(await start(), "/v1/sessions/s/prompts/p");
});

test("M9 SIGTERM drains: nothing new starts, and the rest runs after the restart", async (t) => {
  const { start, folder } = place(t);
  const server = await start("--deadline", "5m");
  const session = "/v1/sessions/s";
  const send = (promptId: string, text: string): ReturnType<ServerProcess["send"]> =>
    server.send("POST", `${session}/prompts`, { body: { promptId, text } });
  await server.send("POST", "/v1/sessions", { body: { sessionId: "s", directory: folder } });
  await send("long", "stall");
  await send("queued", "say me too");
  await running(server, `${session}/prompts/long`);
  const followed = server.send("GET", `${session}/prompts/queued?wait=60`);

  server.process.kill("SIGTERM");
  await server.printed("1 run has 300 s to end");
  const refused = await send("late", "say too late");
  assert.deepEqual(
    [refused.status, refused.body.error?.code, refused.headers["retry-after"]],
    [503, "draining", "1"],
  );
  const again = await send("queued", "say me too");
  assert.deepEqual([again.status, again.body.promptId], [202, "queued"], "P3 comes before a drain");
  assert.equal((await server.send("GET", "/readyz")).body.error?.code, "draining");
  await server.send("DELETE", `${session}/prompts/long`);
  const answer = await followed;
  assert.deepEqual(
    [answer.status, answer.body.status],
    [200, "queued"],
    "who waits is answered, not cut off, and no other run has begun",
  );
  assert.equal((await server.ended).end, 0);
  assert.equal(existsSync(join(folder, "data", "holdfast.db.server.json")), false);

  const next = await start();
  const outcomes = await Promise.all(
    ["long", "queued"].map(async (promptId) => {
      const { body } = await next.send("GET", `${session}/prompts/${promptId}?wait=30`);
      return body.outcome?.status;
    }),
  );
  assert.deepEqual(outcomes, ["cancelled", "completed"]);
  assert.equal((await next.send("GET", `${session}/prompts/late`)).status, 404);
});

test("M9 a second signal exits at once; a second server reports the address of the first", async (t) => {
  const { start, folder, data } = place(t);
  const server = await start("--deadline", "5m");
  await server.send("POST", "/v1/sessions", { body: { sessionId: "s", directory: folder } });
  const body = { promptId: "p", text: "stall" };
  await server.send("POST", "/v1/sessions/s/prompts", { body });
  await running(server, "/v1/sessions/s/prompts/p");
  const where = new RegExp(
    `serverRunning: .* at ${server.url} \\(process ${server.process.pid}\\).*` +
      `\`holdfast server stop --store ${data}/holdfast.db\``,
  );
  await assert.rejects(start(), where);
  server.process.kill("SIGINT");
  await server.printed("1 run has 300 s to end");
  server.process.kill("SIGINT");
  assert.equal((await server.ended).end, 130);
  // The run continues, so there is something to cancel.
  const next = await start();
  await running(next, "/v1/sessions/s/prompts/p");
  await next.send("POST", "/v1/sessions/s/cancel", { body: {} });
  const { body: row } = await next.send("GET", "/v1/sessions/s/prompts/p?wait=30");
  assert.equal(row.outcome?.status, "cancelled");
});
