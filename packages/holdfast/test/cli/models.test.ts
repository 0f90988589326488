import assert from "node:assert/strict";
import { test } from "node:test";
import { usualModel } from "../../src/agent/model/known-providers.ts";
import { openRouter, startServer } from "../agent/model/local-servers.ts";
import { key } from "./model-cli.ts";
import { openCli, openEmbedded } from "./test-cli.ts";

test("models lists, searches and prices the models of connected providers, and shows no key", async (t) => {
  const { baseUrl, requests } = await startServer(t, openRouter);
  const connected = {
    HOLDFAST_BASE_URL: baseUrl,
    HOLDFAST_API_KEY: key,
    ANTHROPIC_API_KEY: `${key}-2`,
    OLLAMA_BASE_URL: "http://127.0.0.1:9/v1",
  };
  const cli = openCli(t, connected);
  const [all, found, json, narrow, other, unnamed] = await Promise.all([
    cli.run("models"),
    cli.run("models", "rocket", "acme"),
    cli.run("models", "--provider", "local", "--json"),
    openCli(t, { ...connected, COLUMNS: "50" }).run("models", "--provider", "local"),
    cli.run("models", "gpt-oss-20b", "--all"),
    openEmbedded(t, { HOLDFAST_BASE_URL: baseUrl, HOLDFAST_AGENT: "" }).run("run", "hello"),
  ]);
  const usual = `anthropic/${usualModel("anthropic")}`;
  const lines = all.out.split("\n");
  assert.match(lines[0] ?? "", /^MODEL +CONTEXT +OUTPUT +IN +OUT +CACHED +REASONING +ENDS/);
  assert.ok(lines[1]?.startsWith(`${usual} * `), "the default comes first");
  assert.match(all.out, /^local\/acme\/varies +1k +500 +\? +\? +\? .*no images, no tools$/m);
  assert.match(all.out, /\n\? unknown price\. Prices in dollars per million tokens, as of 20/);
  assert.match(all.out, /\nollama: the provider cannot be reached\n/);
  assert.ok(all.out.endsWith(`default: ${usual}\n`));
  assert.ok(!all.out.includes("7a35"), "no key is printed");
  assert.match(found.out, /^local\/acme\/rocket-2 +131k +32k +0\.3 +1\.2 +0\.03 +2026-12-24/m);
  assert.equal(found.out.split("local/").length, 2);
  const { items, total } = JSON.parse(json.out);
  assert.deepEqual(
    [total, items[0].id, items[0].price, items[0].source],
    [
      2,
      "local/acme/rocket-2",
      { input: 0.3, output: 1.2, cachedInput: 0.03, cacheWrite: 0.3 },
      "server",
    ],
  );
  const table = narrow.out.split("\n").slice(0, 3);
  assert.ok(
    table.every((line) => line.length <= 50),
    narrow.out,
  );
  assert.match(table[1] ?? "", /^local\/acme\/rocket-2 +131k +0\.3 +1\.2/);
  assert.match(other.out, /^groq\/gpt-oss-20b|openrouter\/gpt-oss-20b/m);
  assert.deepEqual(new Set(requests), new Set(["GET /v1/models"]));
  assert.deepEqual(
    [unnamed.end, unnamed.err],
    [
      1,
      "holdfast: modelGone: The provider local is connected, but no model is selected. Name one with --model local/... or HOLDFAST_MODEL. `holdfast models` lists the available models.\n",
    ],
  );
});

test("without a provider, models says how to connect one, and --all searches the catalogue", async (t) => {
  const cli = openCli(t);
  const [nothing, all] = await Promise.all([
    cli.run("models"),
    cli.run("models", "--all", "gpt-5"),
  ]);
  assert.match(
    nothing.out,
    /^No model is connected, so only the demo agent can answer\.\n[^]*HOLDFAST_BASE_URL/,
  );
  assert.match(all.out, /^openai\/gpt-5 +400k .* 2026-12-11$/m);
});

test("models that match nothing name --all, and the command that connects the named provider", async (t) => {
  const cli = openCli(t, { ANTHROPIC_API_KEY: key });
  const [unconnected, searched, all] = await Promise.all([
    cli.run("models", "--provider", "openai"),
    cli.run("models", "gpt-5"),
    cli.run("models", "no-such-model", "--all"),
  ]);
  const usual = `default: anthropic/${usualModel("anthropic")}\n`;
  const none =
    "No model of a connected provider matches. --all also lists models of other providers.";
  assert.equal(
    unconnected.out,
    `${none}\nTo connect this provider: holdfast connect openai\n${usual}`,
  );
  assert.equal(searched.out, `${none}\n${usual}`);
  assert.equal(all.out, `No model matches.\n${usual}`);
});
