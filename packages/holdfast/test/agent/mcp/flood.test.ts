import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { mcpBench } from "./bench.ts";

test("output that is not a message is ignored, and people get a warning", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts"));
  assert.deepEqual(await call(server, "junk"), { status: "completed", output: "after the junk" });
  const { problem, restarts } = server.status();
  assert.deepEqual(
    [problem, restarts],
    ["the server prints text that is not MCP to stdout, such as: line 0", 0],
  );
});

test("an answer of 50 MB fails only its own call and uses little memory", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts"));
  const before = process.memoryUsage().rss;
  const [giant, echo] = await Promise.all([call(server, "giant"), call(server, "echo")]);
  const grown = process.memoryUsage().rss - before;
  assert.match(
    giant.output,
    /the server sent 500000\d\d bytes in one message; the limit is 8000000$/,
  );
  assert.deepEqual([echo.status, server.status().restarts], ["completed", 0]);
  assert.ok(grown < 100_000_000, `${grown} bytes more`);
});

test("endless notifications and endless lines stop the server, and it is started again", async (t) => {
  const { config, open, call } = mcpBench(t);
  const limits = { flood: { window: 10_000, messages: 1_000, bytes: 30_000_000 } };
  const server = await open(config("rough.ts"), { limits });
  const flood = await call(server, "flood");
  assert.deepEqual([flood.status, server.status().status], ["failed", "reconnecting"]);
  assert.match(
    flood.output,
    /Holdfast stopped the server: the server sent 1001 messages or chunks in \d+ s$/,
  );
  assert.equal((await call(server, "echo")).status, "completed");
  const endless = await call(server, "endless");
  assert.match(endless.output, /Holdfast stopped the server: the server sent \d+ bytes in \d+ s$/);
  assert.equal((await call(server, "echo")).status, "completed");
  const drip = await call(server, "drip");
  assert.match(
    drip.output,
    /Holdfast stopped the server: the server sent 1001 messages or chunks in \d+ s$/,
  );
  assert.equal(server.status().restarts, 2);
});

test("of a server's endless output only the end is kept, and little of it is read", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts"), { limits: { stderrRate: 100_000 } });
  const since = performance.now();
  assert.equal((await call(server, "noise")).output, "noisy");
  await waitFor(() => server.status().stderr.length, {
    describe: "8,000 characters on stderr",
    until: (count) => count > 8_000,
  });
  await waitFor(() => performance.now() - since > 1_500, { describe: "the output of two seconds" });
  // The server answers other calls in spite of its output.
  assert.equal((await call(server, "echo")).status, "completed");
  const { stderr } = server.status();
  const seconds = (performance.now() - since) / 1_000;
  const lines = Number([...stderr.matchAll(/\n(\d+) n/g)].at(-1)?.[1]);
  assert.equal(stderr.length, 8_192);
  // A hundred lines a second, and the chunk that exceeds the limit.
  assert.ok(lines < 500 * (seconds + 1), `${lines} lines of 1,000 characters in ${seconds} s`);
});

test("a server that does not read its input is stopped", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("rough.ts", "deaf"), { limits: { maxUnread: 1_000_000 } });
  const input = { words: "w".repeat(400_000) };
  const results = await Promise.all(
    Array.from({ length: 5 }, () => call(server, "echo", { input })),
  );
  assert.match(
    results[0]?.output ?? "",
    /Holdfast stopped the server: it does not read its stdin$/,
  );
});
