import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { factsOf } from "../../../src/agent/model/model-facts.ts";
import { defaultModel, usualModel } from "../../../src/agent/model/known-providers.ts";
import type { ProviderConfig } from "../../../src/workspace/config/config.ts";
import { WorkspaceError } from "../../../src/workspace/loader.ts";
import { createCredentials } from "../../../src/workspace/providers/credentials.ts";
import type { Credential } from "../../../src/workspace/providers/credentials.ts";
import { mergeProviders } from "../../../src/workspace/providers/merge.ts";
import { createProviders } from "../../../src/workspace/providers/providers.ts";
import type { Providers } from "../../../src/workspace/providers/providers.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const key = "sk-connected-0123456789";

test("keys are stored in a file that only its owner can read, completely or not at all", async (t) => {
  const { file, folder, providers } = open(t);
  assert.equal(await providers.connect("anthropic", { key: ` ${key}\n` }), null);
  await Promise.all(
    ["a", "b", "c"].map((name) => providers.connect(name, { baseUrl: `http://${name}/v1` })),
  );
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder).toSorted(), ["credentials.json", "credentials.json-lock"]);
  const { providers: kept } = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual(Object.keys(kept).toSorted(), ["a", "anthropic", "b", "c"]);
  assert.equal(kept.anthropic.key, key);
});

test("a list masks keys and hides passwords, and names the source of each provider", async (t) => {
  const { providers, learned } = open(t, {
    OPENAI_API_KEY: "sk-environment-9876",
    OLLAMA_BASE_URL: "http://me:password@localhost/v1",
  });
  await providers.connect("anthropic", { key, defaultModel: "anthropic/claude-x" });
  assert.deepEqual(await providers.list(null), {
    model: "anthropic/claude-x",
    untrusted: [],
    items: [
      {
        name: "anthropic",
        status: "connected",
        source: "file",
        protocol: "anthropic",
        baseUrl: "https://api.anthropic.com/v1",
        key: "…6789",
        defaultModel: "claude-x",
      },
      {
        name: "openai",
        status: "connected",
        source: "environment",
        protocol: "openai",
        baseUrl: "https://api.openai.com/v1",
        key: "…9876",
        defaultModel: usualModel("openai"),
      },
      {
        name: "ollama",
        status: "connected",
        source: null,
        protocol: "compatible",
        baseUrl: "http://***@localhost/v1",
        key: null,
        defaultModel: null,
      },
    ],
  });
  assert.deepEqual(learned, [key]);
});

test("disconnecting also hides a key of the environment, until the provider is connected again", async (t) => {
  const { providers } = open(t, { OPENAI_API_KEY: "sk-environment-9876" });
  const statuses = async (): Promise<string[]> =>
    (await providers.list(null)).items.map(({ name, status }) => `${name} ${status}`);
  assert.equal(await providers.disconnect("nobody"), false);
  assert.equal(await providers.disconnect("openai"), true);
  assert.deepEqual(
    [await statuses(), (await providers.list(null)).model],
    [["openai disconnected"], null],
  );
  assert.equal((await providers.test("openai", null))?.works, false);
  assert.equal(await providers.connect("openai", {}), null);
  assert.deepEqual(await statuses(), ["openai connected"]);
  assert.equal((await providers.list(null)).items[0]?.source, "environment");
  await providers.disconnect("openai");
  await providers.connect("openai", { key });
  assert.deepEqual(
    [await statuses(), (await providers.list(null)).model],
    [["openai connected"], `openai/${usualModel("openai")}`],
  );
});

test("a provider that cannot be connected is reported, and nothing changes", async (t) => {
  const { providers, file } = open(t);
  for (const [name, input, problem] of [
    ["openai", {}, ["key", "The provider openai needs an API key."]],
    ["acme", { key }, ["baseUrl", "The provider acme is not built in. Give its base URL too."]],
    ["../x", { key }, ["name", "A provider name must have 1 to 64 letters, digits, _ or -."]],
  ] as const) {
    const [field, message] = problem;
    assert.deepEqual(await providers.connect(name, input), { field, message });
  }
  assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
});

test("an invalid file is reported without its content, and is not overwritten", async (t) => {
  const { providers, file } = open(t);
  writeFileSync(file, `{"version":1,"providers":{"openai":{"key":"${key}"`);
  const isClear = (error: unknown): boolean =>
    error instanceof WorkspaceError &&
    error.message.startsWith(`${file}: `) &&
    !error.message.includes(key);
  await assert.rejects(providers.list(null), isClear);
  await assert.rejects(providers.connect("openai", { key: "sk-another-012345" }), isClear);
  assert.match(readFileSync(file, "utf8"), new RegExp(key));
});

test("a config overrides `connect`, and `connect` overrides the environment", () => {
  const environment = { OPENAI_API_KEY: "key-e", OPENAI_BASE_URL: "http://e/v1" };
  const connected: Credential = {
    status: "connected",
    at: 1,
    key: "key-f",
    baseUrl: null,
    protocol: null,
    defaultModel: "f",
  };
  const merged = mergeProviders({
    environment,
    credentials: new Map<string, Credential>([
      ["openai", connected],
      ["acme", { ...connected, baseUrl: "http://a/v1", key: null }],
    ]),
    config: new Map([["openai", { ...config, key: "key-c", models: new Map([["m", facts]]) }]]),
  });
  const [openai, acme] = merged;
  assert.deepEqual(
    merged.map(({ provider, source }) => [provider.name, provider.key, provider.baseUrl, source]),
    [
      ["openai", "key-c", "http://e/v1", "config"],
      ["acme", null, "http://a/v1", null],
    ],
  );
  assert.equal(defaultModel(merged.map(({ provider }) => provider)), "openai/f");
  assert.deepEqual(acme?.provider.facts?.("m", null), factsOf("acme/m"));
  assert.deepEqual(openai?.provider.facts?.("m", null), {
    ...factsOf("openai/m"),
    limits: { context: 1_000, output: 500 },
    accepts: { images: false, documents: false },
    wish: {},
    price: { input: 1, cachedInput: 1, cacheWrite: 1, output: 2 },
    source: "config",
  });
});

test("a test is one cheap call in the provider's own protocol, and a failure is explained", async (t) => {
  const asked: string[] = [];
  const address = await serve(t, (request, response) => {
    const { authorization, "x-api-key": own, "x-goog-api-key": googles } = request.headers;
    asked.push(`${request.url} ${String(authorization ?? own ?? googles)}`);
    const status = /^\/(\d+)\//.exec(request.url ?? "")?.[1];
    const models = request.url?.startsWith("/google") === true;
    const list = models ? { models: [{ name: "models/g" }] } : { data: [{ id: "m" }] };
    if (status === "302") response.writeHead(302, { location: "/elsewhere" }).end();
    else response.writeHead(Number(status ?? 200)).end(JSON.stringify(list));
  });
  const { providers } = open(t);
  const results: unknown[] = [];
  for (const [name, protocol] of [
    ["one", "compatible"],
    ["two", "anthropic"],
    ["google-like", "google"],
  ] as const) {
    await providers.connect(name, { key, baseUrl: `${address}/${name}`, protocol });
    results.push(await providers.test(name, null));
  }
  for (const path of ["401", "404", "500", "302"]) {
    await providers.connect("bad", { key, baseUrl: `${address}/${path}` });
    results.push((await providers.test("bad", null))?.problem);
  }
  assert.deepEqual(results, [
    { works: true, problem: null, field: null, models: ["one/m"] },
    { works: true, problem: null, field: null, models: ["two/m"] },
    { works: true, problem: null, field: null, models: ["google-like/g"] },
    "the provider rejected the API key (HTTP 401)",
    "the provider does not list its models (HTTP 404)",
    "the provider does not list its models (HTTP 500)",
    // A redirect within the host is followed, as in a run.
    null,
  ]);
  assert.deepEqual(asked.slice(0, 3), [
    `/one/models Bearer ${key}`,
    `/two/models?limit=1000 ${key}`,
    `/google-like/models?pageSize=1000 ${key}`,
  ]);
  assert.equal(asked.at(-1), `/elsewhere Bearer ${key}`);
  assert.equal(await providers.test("nobody", null), null);
});

test("a change keeps the settings that it does not name, in the file and in the environment", async (t) => {
  const { providers, file } = open(t, { OPENAI_API_KEY: "sk-environment-9876" });
  const baseUrl = "http://127.0.0.1:9/v1";
  await providers.connect("box", { key, baseUrl, protocol: "compatible", defaultModel: "a" });
  assert.equal(await providers.change("box", { defaultModel: "box/b" }), null);
  assert.equal(await providers.change("openai", { defaultModel: "gpt-x" }), null);
  const { items } = await providers.list(null);
  assert.deepEqual(
    items.map(({ name, source, key: shown, baseUrl: at, defaultModel: model }) => [
      name,
      source,
      shown,
      at,
      model,
    ]),
    [
      ["box", "file", "…6789", baseUrl, "b"],
      ["openai", "environment", "…9876", "https://api.openai.com/v1", "gpt-x"],
    ],
  );
  assert.ok(!readFileSync(file, "utf8").includes("sk-environment"));
  assert.equal(await providers.change("openai", { defaultModel: null }), null);
  const [, openai] = (await providers.list(null)).items;
  assert.equal(openai?.defaultModel, usualModel("openai"));
  assert.equal(await providers.change("nobody", { defaultModel: "x" }), "unknown");
});

test("an own server keeps its address: a provider without a default address cannot lose it", async (t) => {
  const inEnvironment = "http://127.0.0.1:9/environment";
  const { providers } = open(t, { OLLAMA_BASE_URL: inEnvironment });
  const message = "The provider box is not built in. Give its base URL too.";
  const addresses = async (): Promise<string[]> =>
    (await providers.list(null)).items.map(({ name, baseUrl }) => `${name} ${baseUrl}`);
  for (const secret of [null, key]) {
    await providers.connect("box", { key: secret, baseUrl: "http://127.0.0.1:9/v1" });
    const input = { baseUrl: null };
    assert.deepEqual(await providers.change("box", input), { field: "baseUrl", message });
    const tested = await providers.test("box", null, input);
    assert.deepEqual([tested?.field, tested?.problem], ["baseUrl", message]);
  }
  await providers.connect("ollama", { baseUrl: "http://127.0.0.1:9/v1" });
  assert.equal(await providers.change("ollama", { baseUrl: null }), null);
  assert.deepEqual(await addresses(), ["box http://127.0.0.1:9/v1", `ollama ${inEnvironment}`]);
});

test("a stored key is not sent to another server: a new address needs the key again", async (t) => {
  const asked: string[] = [];
  const address = await serve(t, (request, response) => {
    asked.push(String(request.headers.authorization));
    response.end(JSON.stringify({ data: [] }));
  });
  const { providers, file } = open(t);
  await providers.connect("box", { key, baseUrl: "http://127.0.0.1:9/v1" });
  const before = readFileSync(file, "utf8");
  const refused = await providers.change("box", { baseUrl: address });
  assert.ok(refused !== null && refused !== "unknown");
  assert.equal(refused.field, "key");
  const tested = await providers.test("box", null, { baseUrl: address });
  assert.deepEqual([tested?.works, tested?.field], [false, "key"]);
  assert.equal(readFileSync(file, "utf8"), before);
  assert.deepEqual(asked, []);
  assert.equal(await providers.change("box", { baseUrl: "http://127.0.0.1:9/v2" }), null);
  assert.equal(await providers.change("box", { baseUrl: address, key: "sk-another-012345" }), null);
  assert.equal((await providers.test("box", null))?.works, true);
  assert.deepEqual(asked, ["Bearer sk-another-012345"]);
});

test("settings can be tested before they are stored, and a failure names the field", async (t) => {
  const address = await serve(t, (request, response) => {
    const isKnown = request.headers.authorization === "Bearer good";
    response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ data: [{ id: "m" }] }));
  });
  const { providers, file } = open(t);
  const results = [
    await providers.test("new", null, { key: "good", baseUrl: address }),
    await providers.test("new", null, { key: "bad", baseUrl: address }),
    await providers.test("new", null, { baseUrl: "http://127.0.0.1:9/v1" }),
    await providers.test("new", null, { key: "good" }),
    await providers.test("openai", null, {}),
  ];
  assert.deepEqual(
    results.map((result) => [result?.works, result?.field]),
    [
      [true, null],
      [false, "key"],
      [false, "baseUrl"],
      [false, "baseUrl"],
      [false, "key"],
    ],
  );
  assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
});

const config: ProviderConfig = {
  protocol: "openai",
  baseUrl: null,
  key: null,
  headers: {},
  defaultModel: null,
  models: new Map(),
};

const facts = {
  wish: {},
  context: 1_000,
  output: null,
  images: false,
  price: { input: 1, cachedInput: null, cacheWrite: null, output: 2 },
};

function open(
  t: TestContext,
  environment: Record<string, string> = {},
): { providers: Providers; file: string; folder: string; learned: string[] } {
  const folder = scratchFolder(t, "credentials");
  const file = join(folder, "credentials.json");
  const credentials = createCredentials(file);
  const learned: string[] = [];
  const providers = createProviders({
    credentials,
    environment,
    choice: async () => {
      const found = mergeProviders({
        environment,
        credentials: await credentials.read(),
        config: new Map(),
      });
      const connected = found.filter(({ status }) => status === "connected");
      const chosen = defaultModel(connected.map(({ provider }) => provider));
      return { providers: found, chosen, untrusted: [], catalogue: null };
    },
    isInUse: () => false,
    learn: (secrets) => void learned.push(...secrets),
    now: () => 1,
    timeout: 60_000,
  });
  return { providers, file, folder, learned };
}

async function serve(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `http://127.0.0.1:${address.port}`;
}
