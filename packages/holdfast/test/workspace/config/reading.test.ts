import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Config } from "../../../src/workspace/config/config.ts";
import { openConfigFixture } from "./config-fixture.ts";

const nothing: Config = {
  model: null,
  wish: {},
  smallModel: null,
  catalogue: null,
  agent: null,
  agents: new Map(),
  commands: new Map(),
  permissions: [],
  mcp: new Map(),
  providers: new Map(),
  limits: {
    maxSteps: null,
    stopGrace: null,
    budget: null,
    onBudget: null,
    budgetAskTime: null,
    daily: null,
    monthly: null,
    token: null,
    shellTimeout: null,
    fetchTimeout: null,
  },
  recovery: null,
  retention: { archiveAfter: null, deleteArchivedAfter: null, deleteUploadsAfter: null },
  quotas: { uploadBytes: null, sessions: null, logBytes: null },
  sandbox: { shell: null, network: null, allowedPaths: [], privateAddresses: null, variables: [] },
  hooks: { promptAccepted: [], beforeTool: [], afterTool: [], settled: [], notice: [] },
  instructions: [],
};

test("without any file all defaults apply, and the possible files are listed", async (t) => {
  const fixture = openConfigFixture(t);
  const { digest, ...rest } = await fixture.read();
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.deepEqual(rest, {
    config: nothing,
    notices: [],
    secrets: [],
    powers: { digest: null, trusted: true, list: [] },
    mcpPlaces: new Map(),
    files: [
      "user/config.jsonc",
      "user/agents",
      "user/commands",
      "project/holdfast.jsonc",
      "project/.holdfast/agents",
      "project/.holdfast/commands",
    ].map((path) => join(fixture.root, path)),
  });
});

test("a complete config has the documented meaning, with comments and trailing commas", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("project/docs/house.md", "Be brief.");
  fixture.write("elsewhere/file", "");
  fixture.write(
    "user/config.jsonc",
    `\uFEFF// The user's own needs no trust.
    {
      "$schema": "https://example.org/config.schema.json",
      "model": "openai/gpt-5", /* the usual */
      "smallModel": "acme/tiny",
      "agent": "reviewer",
      "agents": {
        "reviewer": {
          "description": "Looks, and changes nothing",
          "prompt": "Review what is there.",
          "model": "acme/big",
          "tools": ["read", "gr*"],
          "permissions": [{ "action": "change", "pattern": "**", "effect": "deny" }],
        },
      },
      "permissions": [{ "action": "mcp", "pattern": "files/*", "effect": "allow" }],
      "mcp": {
        "files": {
          "type": "stdio",
          "command": ["npx", "-y", "files"],
          "env": { "FILES_TOKEN": "{env:TOKEN}", "LEVEL": "2" },
          "cwd": "tools",
          "timeout": "1.5m",
        },
        "web": { "url": "https://example.org/mcp", "headers": { "x-team": "a" } },
        "off": { "command": ["never"], "env": { "A": "{env:NOBODY}" }, "enabled": false },
      },
      "providers": {
        "acme": {
          "baseUrl": "http://localhost:1234/v1",
          "key": "{file:~/acme.key}",
          "headers": { "x-org": "holdfast" },
          "defaultModel": "big",
          "models": {
            "big": { "context": 100000, "output": 4000, "images": true, "price": { "input": 1, "output": 2.5 } },
            "tiny": {},
          },
        },
      },
      "limits": {
        "maxSteps": 50, "stopGrace": "500ms", "budget": { "tokens": 1000 },
        "onBudget": "ask", "budgetAskTime": "8h",
        "daily": { "cost": 20 }, "monthly": { "tokens": 9000 }, "token": { "cost": 0.5, "tokens": 7 },
        "shellTimeout": "2h", "fetchTimeout": "10s",
      },
      "recovery": "hold",
      "retention": { "archiveAfter": "90d", "deleteUploadsAfter": "36h" },
      "quotas": { "sessions": 10, "logBytes": 0 },
      "sandbox": { "shell": "required", "network": false, "allowedPaths": ["../elsewhere"], "privateAddresses": true, "variables": ["DATABASE_URL"] },
      "hooks": {
        "settled": [{ "command": "notify-send done" }],
        "beforeTool": [{ "command": "./check", "match": "shell", "timeout": "5s" }],
      },
      "instructions": ["../project/docs/house.md"],
    }`,
  );
  fixture.write("home/acme.key", "sk-acme\n");
  const { config, notices, secrets, files, powers } = await fixture.read({
    environment: { TOKEN: "t0ken" },
  });
  assert.deepEqual(fixture.lines(notices), []);
  assert.deepEqual(powers, { digest: null, trusted: true, list: [] });
  assert.deepEqual(config, {
    model: "openai/gpt-5",
    wish: {},
    smallModel: "acme/tiny",
    catalogue: null,
    agent: "reviewer",
    agents: new Map([
      [
        "reviewer",
        {
          description: "Looks, and changes nothing",
          prompt: "Review what is there.",
          model: "acme/big",
          wish: {},
          tools: ["read", "gr*"],
          permissions: [{ action: "change", pattern: "**", effect: "deny" }],
        },
      ],
    ]),
    commands: new Map(),
    permissions: [{ action: "mcp", pattern: "files/*", effect: "allow" }],
    mcp: new Map([
      [
        "files",
        {
          type: "stdio",
          command: ["npx", "-y", "files"],
          env: { FILES_TOKEN: "t0ken", LEVEL: "2" },
          cwd: join(fixture.directory, "tools"),
          timeout: 90_000,
        },
      ],
      [
        "web",
        { type: "http", url: "https://example.org/mcp", headers: { "x-team": "a" }, timeout: null },
      ],
    ]),
    providers: new Map([
      [
        "acme",
        {
          protocol: "compatible",
          baseUrl: "http://localhost:1234/v1",
          key: "sk-acme",
          headers: { "x-org": "holdfast" },
          defaultModel: "big",
          models: new Map([
            [
              "big",
              {
                context: 100_000,
                output: 4_000,
                images: true,
                wish: {},
                price: { input: 1, cachedInput: null, cacheWrite: null, output: 2.5 },
              },
            ],
            ["tiny", { context: null, output: null, images: null, wish: {}, price: null }],
          ]),
        },
      ],
    ]),
    limits: {
      maxSteps: 50,
      stopGrace: 500,
      budget: { tokens: 1_000, cost: null },
      onBudget: "ask",
      budgetAskTime: 28_800_000,
      daily: { tokens: null, cost: 20 },
      monthly: { tokens: 9_000, cost: null },
      token: { tokens: 7, cost: 0.5 },
      shellTimeout: 7_200_000,
      fetchTimeout: 10_000,
    },
    recovery: "hold",
    retention: {
      archiveAfter: 90 * 86_400_000,
      deleteArchivedAfter: null,
      deleteUploadsAfter: 36 * 3_600_000,
    },
    quotas: { uploadBytes: null, sessions: 10, logBytes: 0 },
    sandbox: {
      shell: "required",
      network: false,
      allowedPaths: [join(fixture.root, "elsewhere")],
      privateAddresses: true,
      variables: ["DATABASE_URL"],
    },
    hooks: {
      promptAccepted: [],
      beforeTool: [{ command: "./check", match: "shell", timeout: 5_000 }],
      afterTool: [],
      settled: [{ command: "notify-send done", match: null, timeout: 30_000 }],
      notice: [],
    },
    instructions: [{ path: join(fixture.directory, "docs/house.md"), text: "Be brief." }],
  });
  assert.deepEqual(secrets, ["t0ken", "sk-acme"]);
  assert.deepEqual(
    files.filter((file) => /acme\.key|house\.md/.test(file)),
    [join(fixture.root, "home/acme.key"), join(fixture.directory, "docs/house.md")],
  );
});

test("the digest depends on the meaning of the config, including its secrets, not on its layout", async (t) => {
  const fixture = openConfigFixture(t);
  const config = {
    providers: { acme: { baseUrl: "http://localhost:1/v1", key: "{env:K}" } },
    limits: { maxSteps: 5, stopGrace: "1s" },
  };
  fixture.write("user/config.jsonc", config);
  const first = await fixture.read({ environment: { K: "one" } });
  const { limits, providers } = config;
  fixture.write("user/config.jsonc", `// other\n${JSON.stringify({ limits, providers }, null, 4)}`);
  const same = await fixture.read({ environment: { K: "one" } });
  const other = await fixture.read({ environment: { K: "two" } });
  assert.equal(same.digest, first.digest);
  assert.notEqual(other.digest, first.digest);
  // An unknown setting without an effect still changes the digest, so that it is reported.
  fixture.write("user/config.jsonc", { ...config, limit: {} });
  assert.notEqual((await fixture.read({ environment: { K: "one" } })).digest, first.digest);
});

test("a project cannot set quotas", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", { quotas: { sessions: 5 } });
  fixture.write("project/holdfast.jsonc", { quotas: { sessions: 5_000, logBytes: 1 } });
  const { config, notices } = await fixture.read();
  assert.deepEqual(config.quotas, { uploadBytes: null, sessions: 5, logBytes: null });
  assert.deepEqual(
    notices.map(({ key, message }) => [key, message]),
    [["quotas", "is ignored: only your own config can set quotas"]],
  );
});

test("spending limits in a project's config are ignored with a warning", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", { limits: { daily: { cost: 9 } } });
  fixture.write("project/holdfast.jsonc", {
    limits: { daily: { cost: 1 }, monthly: { tokens: 1 }, token: { cost: 1 } },
  });
  const { config, notices } = await fixture.read();
  assert.deepEqual(config.limits.daily, { tokens: null, cost: 9 });
  assert.deepEqual([config.limits.monthly, config.limits.token], [null, null]);
  const message = "is ignored: only your own config can set spending limits";
  assert.deepEqual(
    notices.map((one) => [one.key, one.message]),
    [
      ["limits.daily", message],
      ["limits.monthly", message],
      ["limits.token", message],
    ],
  );
});

test("only the user's config can set retention times, not a project's", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", { retention: { archiveAfter: "30d" } });
  fixture.write("project/holdfast.jsonc", { retention: { deleteArchivedAfter: "1h" } });
  const { config, notices } = await fixture.read();
  assert.deepEqual(config.retention, {
    archiveAfter: 30 * 86_400_000,
    deleteArchivedAfter: null,
    deleteUploadsAfter: null,
  });
  assert.deepEqual(
    notices.map(({ severity, key, message }) => ({ severity, key, message })),
    [
      {
        severity: "warning",
        key: "retention",
        message: "is ignored: only your own config can set how long data is kept",
      },
    ],
  );
});
