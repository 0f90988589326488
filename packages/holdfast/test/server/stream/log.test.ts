import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { createLog } from "../../../src/server/log.ts";
import type { AnsweredRequest } from "../../../src/server/ports.ts";
import { WorkspaceError } from "../../../src/workspace/loader.ts";
import { openStreamFixture } from "./stream-fixture.ts";

const request: AnsweredRequest = {
  request: new Request("http://localhost"),
  requestId: "request-1",
  method: "POST",
  route: "/v1/sessions/{sessionId}/prompts",
  path: "/v1/sessions/main/prompts",
  status: 202,
  duration: 0.0042,
  code: null,
  actor: { kind: "client", id: "phone" },
  error: null,
};

test("refused and failed requests are logged as JSON; others only at debug level", () => {
  const lines: string[] = [];
  const log = openLog(lines, { level: "info" });
  log.answered(request);
  log.answered({ ...request, status: 409, code: "busy" });
  log.answered({ ...request, status: 500, code: "internal", error: new Error("a bug") });
  log.answered({ ...request, status: 503, code: "draining" });
  const [refused, failed, draining, ...others] = lines.map(parse);
  assert.deepEqual(others, []);
  const { time: _, ...rest } = refused ?? {};
  assert.deepEqual(rest, {
    level: "info",
    pid: process.pid,
    requestId: "request-1",
    method: "POST",
    route: "/v1/sessions/{sessionId}/prompts",
    path: "/v1/sessions/main/prompts",
    status: 409,
    code: "busy",
    ms: 4,
    actor: "phone",
    msg: "request refused",
  });
  assert.equal(failed?.["level"], "error");
  assert.equal(draining?.["level"], "info");
  assert.match(JSON.stringify(failed?.["err"]), /a bug/);
  const debugged: string[] = [];
  openLog(debugged, { level: "debug" }).answered(request);
  assert.equal(debugged.length, 1);
});

test("a mistake in a config is logged as a warning with the text for people, any other error with its stack", () => {
  const lines: string[] = [];
  const log = openLog(lines, { level: "warn" });
  const mistake = { severity: "error", file: "/config.jsonc", line: 3, column: 16 } as const;
  log.error(new WorkspaceError([{ ...mistake, key: "retention", message: "must be an object" }]));
  log.error(new Error("a bug"));
  const [config, bug] = lines.map(parse);
  const { time: _, ...rest } = config ?? {};
  assert.deepEqual(rest, {
    level: "warn",
    pid: process.pid,
    code: "brokenWorkspace",
    msg: "/config.jsonc:3:16: retention: must be an object",
  });
  assert.deepEqual([bug?.["level"], bug?.["msg"]], ["error", "unexpected error"]);
  assert.match(JSON.stringify(bug?.["err"]), /a bug.*log[.]test/);
});

test("neither a configured key nor a token is ever logged", () => {
  const lines: string[] = [];
  const log = openLog(lines, { level: "trace" });
  const token = "hf_0123456789ab_0123456789abcdefghijklmnopqrstuvwxyzABCDEF";
  log.logger.info({ header: `Bearer ${token}`, key: "sk-secret-1234" }, `used ${token}`);
  log.error(new Error(`the key sk-secret-1234 was refused, and ${token}`));
  assert.equal(lines.length, 2);
  assert.doesNotMatch(lines.join(""), /sk-secret|ghijkl/);
  for (const line of lines) parse(line);
});

test("runs of this process are logged by id, from start to outcome", async (context) => {
  const fixture = await openStreamFixture(context);
  const lines: string[] = [];
  const log = openLog(lines, { level: "info" });
  const { nodeId } = await fixture.runtime.status();
  const stop = log.follow(fixture.follower, (owner) => owner === nodeId);
  const others: string[] = [];
  const stopOthers = openLog(others, { level: "info" }).follow(fixture.follower, () => false);
  await fixture.runtime.createSession({ sessionId: "main", directory: "/project" });
  await fixture.exchange("main", "first");
  await waitFor(() => lines.length, {
    describe: "two lines in the log",
    until: (count) => count >= 2,
  });
  stop();
  stopOthers();
  const row = await fixture.runtime.wait({ sessionId: "main", promptId: "first" });
  const logged = lines.map(parse).map(({ msg, sessionId, runId, status, reason }) => ({
    msg,
    sessionId,
    runId,
    status,
    reason,
  }));
  const run = { sessionId: "main", runId: row?.runId };
  assert.deepEqual(logged, [
    { msg: "run.started", ...run, status: undefined, reason: undefined },
    { msg: "run.ended", ...run, status: "completed", reason: null },
  ]);
  assert.deepEqual(others, []);
});

function openLog(lines: string[], options: { level: string }): ReturnType<typeof createLog> {
  return createLog({
    level: options.level,
    redact: (text) => text.replaceAll("sk-secret-1234", "[secret]"),
    destination: { write: (line: string) => void lines.push(line) },
  });
}

function parse(line: string): Record<string, unknown> {
  const fields: Record<string, unknown> = JSON.parse(line);
  return fields;
}
