import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { connect } from "@holdfast/sdk";
import { withTimeout } from "../../src/base/time.ts";
import { agentCheck } from "../../src/compose/doctor/agent-checks.ts";
import { checkSetup } from "../../src/compose/doctor/check-setup.ts";
import { clockFinding } from "../../src/compose/doctor/network.ts";
import { portFinding } from "../../src/compose/doctor/machine-checks.ts";
import { mcpFindings } from "../../src/compose/doctor/settings-checks.ts";
import type { Finding } from "../../src/compose/doctor/finding.ts";
import { listen } from "../../src/server/listen.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const key = "{env:LAB_KEY}";

/** A home with a config, and a function that checks it. */
function openHome(t: { after(work: () => void): void }, config: string) {
  const home = scratchFolder(t, "doctor");
  const environment = {
    PATH: process.env["PATH"],
    LAB_KEY: "k".repeat(20),
    OLD_KEY: "o".repeat(20),
  };
  const [settings, data] = [
    join(home, ".config", "holdfast"),
    join(home, ".local", "share", "holdfast"),
  ];
  mkdirSync(settings, { recursive: true, mode: 0o700 });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const file = join(settings, "config.jsonc");
  writeFileSync(file, config, { mode: 0o600 });
  const store = join(data, "holdfast.db");
  const place = { store, directory: home, environment, home };
  const check = async (limit = 10_000): Promise<readonly Finding[]> =>
    Array.fromAsync(checkSetup({ ...place, limit }));
  return { file, data, place, check };
}

function about(findings: readonly Finding[], subject: string): readonly string[] {
  return findings
    .filter((finding) => finding.subject === subject)
    .map(({ status, text, fix }) => `${status}: ${text}${fix === null ? "" : ` -> ${fix}`}`);
}

test("a new setup is in order, except that no model is connected", async (t) => {
  const { check } = openHome(t, "{}");
  const findings = await check();
  assert.deepEqual(
    findings.filter(({ status }) => status === "error"),
    [],
  );
  assert.match(about(findings, "Node")[0] ?? "", /^ok: v2\d/);
  assert.match(about(findings, "disk")[0] ?? "", /^ok: \d+ GB free at /);
  assert.match(about(findings, "models")[0] ?? "", /^warning: no model .* -> .*holdfast connect/);
  assert.deepEqual(about(findings, "files"), ["ok: only you can read your keys"]);
  assert.match(about(findings, "server")[0] ?? "", /^ok: none is running; /);
});

test("a broken config, an unknown key and open files are reported with the fix", async (t) => {
  const { file, data, check } = openHome(t, '{ "modle": "x" }');
  const credentials = join(data, "credentials.json");
  writeFileSync(credentials, "{}");
  chmodSync(credentials, 0o644);
  const findings = await check();
  const fix = "edit the file, then run: holdfast config --user --check";
  const [unknownKey = ""] = about(findings, "config");
  assert.ok(unknownKey.startsWith(`warning: ${file}:1:`) && unknownKey.endsWith(fix), unknownKey);
  assert.deepEqual(about(findings, "files"), [
    `error: other users can open ${credentials} (mode 644) -> run: chmod go-rwx '${credentials}'`,
  ]);
  writeFileSync(file, "{ broken");
  const again = await check();
  const [broken = "", ...more] = about(again, "config");
  assert.ok(broken.startsWith(`error: ${file}:1:`) && broken.endsWith(fix), broken);
  assert.deepEqual(more, []);
  // The error is reported once; the checks that need the config only name the reason.
  const why = "unknown: not checked, because the config has errors";
  const subjects = ["models", "default model", "network", "MCP", "agents"];
  assert.deepEqual(
    subjects.map((subject) => about(again, subject)),
    subjects.map(() => [why]),
  );
});

test("a damaged file with the stored keys is reported once, with the fix", async (t) => {
  const { data, check } = openHome(t, "{}");
  const credentials = join(data, "credentials.json");
  writeFileSync(credentials, "{}", { mode: 0o600 });
  const findings = await check();
  const problem = "the file with the provider keys cannot be read (it has an unknown format)";
  const fix = "repair the file, or remove it and run: holdfast connect";
  assert.deepEqual(about(findings, "keys"), [`error: ${credentials}: ${problem} -> ${fix}`]);
  // The checks that need the keys only name the reason.
  const why = "unknown: not checked, because the stored keys cannot be read";
  const subjects = ["models", "default model", "network", "MCP"];
  assert.deepEqual(
    subjects.map((subject) => about(findings, subject)),
    subjects.map(() => [why]),
  );
  assert.deepEqual(about(findings, "agents"), ["ok: no other agent is installed"]);
});

test("the check of the MCP servers names the reason why a directory cannot be loaded", async (t) => {
  const { place } = openHome(t, "{}");
  const directory = join(place.home, ".config", "holdfast");
  const findings = await Array.fromAsync(checkSetup({ ...place, directory, limit: 10_000 }));
  assert.match(
    about(findings, "MCP").join(),
    /^unknown: could not be checked: .* contains data or config of Holdfast/,
  );
});

test("the check of the MCP servers names a reason if the directory is not loaded and has no notice", async () => {
  const holdfast = connect({
    url: "http://localhost",
    fetch: () => Response.json({ mcp: [], generation: null, notices: [] }),
  });
  await assert.rejects(mcpFindings(holdfast, "/code"), /the directory is not loaded/);
});

test("a provider and an MCP server that do not answer are reported within the limit", async (t) => {
  const held = new Set<{ destroy(): void }>();
  const silent = createServer((socket) => void held.add(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => {
    for (const socket of held) socket.destroy();
    silent.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has this kind of address
  const { port } = silent.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const { check } = openHome(
    t,
    JSON.stringify({
      providers: { lab: { baseUrl: `${url}/v1`, protocol: "compatible", key } },
      mcp: { silent: { url: `${url}/mcp` } },
    }),
  );
  const started = performance.now();
  const findings = await check(1_000);
  const took = performance.now() - started;
  assert.ok(took < 20_000, `${took} ms`);
  assert.match(about(findings, "models")[0] ?? "", /^unknown: no answer within 1 s -> /);
  assert.doesNotMatch(about(findings, "MCP").join(), /^ok/);
});

test("a key that works and a key that the provider rejects get different findings", async (t) => {
  const provider = createHttpServer((request, response) => {
    const isKnown = request.headers.authorization === `Bearer ${"k".repeat(20)}`;
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    const refusal = { error: { message: "Incorrect API key provided", code: "invalid_api_key" } };
    response.end(JSON.stringify(isKnown ? { data: [{ id: "large" }] } : refusal));
  });
  const port = await listen(provider, { host: "127.0.0.1", port: 0 });
  t.after(() => provider.close());
  const lab = { baseUrl: `http://127.0.0.1:${port}/v1`, protocol: "compatible" };
  const providers = { good: { ...lab, key }, bad: { ...lab, key: "{env:OLD_KEY}" } };
  const findings = await openHome(t, JSON.stringify({ providers })).check();
  const fix = "holdfast connect bad stores a new key; holdfast providers test bad checks it again";
  const [rejected = "", ...works] = about(findings, "models").toSorted();
  assert.deepEqual(works, ["ok: good works"]);
  assert.match(rejected, /^error: bad does not work: .*(?:401|key)/);
  assert.ok(rejected.endsWith(` -> ${fix}`), rejected);
  assert.doesNotMatch(JSON.stringify(findings), /o{20}/);
  // Neither the network nor the clock can be checked with a provider on this machine.
  const why = "unknown: not checked, because no provider on the internet is connected";
  assert.deepEqual([about(findings, "network"), about(findings, "clock")], [[why], [why]]);
});

test("hosted agents are started to check their version and their sign-in", async (t) => {
  const stub = join(import.meta.dirname, "../support/stub-agent.ts");
  const agent = (mode: string) => ({
    acp: {
      command: [process.execPath, stub],
      env: { STUB_HOME: scratchFolder(t, "stub"), STUB_MODE: mode },
    },
  });
  const agents = {
    ready: agent(""),
    stranger: agent("signs in"),
    broken: agent("exit at start"),
    gemini: { acp: {} },
  };
  const { check } = openHome(t, JSON.stringify({ agents }));
  const findings = about(await check(30_000), "agents").toSorted();
  assert.deepEqual(
    findings.map((line) => line.replace(/;.*| ->.*/s, "")),
    [
      "error: broken: cannot be used: the agent exited with code 7",
      "ok: ready: stub 1.0.0, opens a session",
      "warning: stranger: not signed in: sign in first",
      "warning: the agent gemini is not installed",
    ],
  );
});

test("an agent that does not answer is reported, even if garbage is collected meanwhile", async (t) => {
  const silent = { acp: { command: [process.execPath, "-e", "setInterval(() => {}, 1e6)"] } };
  const { place } = openHome(t, JSON.stringify({ agents: { silent } }));
  setFlagsFromString("--expose-gc");
  const collecting = setInterval(() => void runInNewContext("gc()"), 100);
  t.after(() => clearInterval(collecting));
  const given = new AbortController();
  const findings = await withTimeout(agentCheck({ ...place, limit: 1_000 }).run(given.signal), {
    milliseconds: 60_000,
    late: () => [],
  });
  given.abort();
  assert.deepEqual(about(findings, "agents"), ["unknown: silent: no session within 1 s"]);
});

test("without a network, the check of the connection fails and names the host", async (t) => {
  const { check } = openHome(
    t,
    JSON.stringify({
      providers: {
        lab: { baseUrl: "https://nowhere.invalid/v1", protocol: "compatible", key },
      },
    }),
  );
  const findings = await check();
  assert.match(
    about(findings, "network")[0] ?? "",
    /^error: there is no connection to nowhere\.invalid \(\w+\) -> check the network/,
  );
  assert.deepEqual(about(findings, "clock"), [
    "unknown: not checked, because nowhere.invalid cannot be reached",
  ]);
  // Another key would not help.
  assert.deepEqual(about(findings, "models"), [
    "error: lab does not work: the provider cannot be reached -> check the network connection, and the address that `holdfast providers` shows; holdfast providers test lab checks it again",
  ]);
});

test("a clock that differs by more than a minute is reported", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const at = (date: string | null) => clockFinding(date, now)?.text ?? null;
  assert.deepEqual(
    [at(null), at("Thu, 01 Jan 2026 00:00:20 GMT"), at("Thu, 01 Jan 2026 00:05:00 GMT")],
    [null, "correct to the minute", "300 s slow"],
  );
});

test("a port that another program uses is not reported as a problem", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has this kind of address
  const { port } = other.address() as AddressInfo;
  const { status, text } = await portFinding(port);
  assert.deepEqual(
    [status, text],
    ["ok", `none is running; another program uses port ${port}, so the next free port is used`],
  );
});
