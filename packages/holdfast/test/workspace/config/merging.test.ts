import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openConfigFixture } from "./config-fixture.ts";

const rule = (pattern: string) => ({ action: "run", pattern, effect: "ask" }) as const;

test("the project's values override the user's, objects are merged, and lists are joined", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", {
    model: "a/user",
    smallModel: "a/small",
    permissions: [rule("user")],
    agents: {
      both: { description: "user", prompt: "user", tools: ["read"], permissions: [rule("u")] },
      one: { prompt: "one" },
    },
    limits: {
      maxSteps: 10,
      stopGrace: "9s",
      budget: { tokens: 5, cost: 1 },
      daily: { cost: 9 },
    },
    sandbox: { variables: ["USER_URL", "BOTH"] },
    hooks: { settled: [{ command: "user" }] },
    mcp: {
      kept: { command: ["kept"], env: { A: "1", B: "2" } },
      replaced: { url: "https://example.org", headers: { a: "b" } },
      switched: { command: ["switched"] },
    },
    providers: {
      acme: {
        baseUrl: "http://a/v1",
        headers: { a: "1" },
        models: { m: { context: 5000, output: 10 } },
      },
    },
  });
  fixture.write("project/holdfast.jsonc", {
    model: "a/project",
    wish: {},
    permissions: [rule("project")],
    agents: {
      both: { prompt: "project", permissions: [rule("p")] },
      two: { prompt: "two" },
    },
    limits: { maxSteps: 5, budget: { tokens: 3 }, daily: { cost: 99 }, token: { tokens: 1 } },
    sandbox: { variables: ["BOTH", "PROJECT_URL"] },
    hooks: { settled: [{ command: "project" }] },
    mcp: {
      kept: { env: { B: "3" }, timeout: "1s" },
      replaced: { command: ["other"] },
      switched: { enabled: false },
    },
    providers: {
      acme: { defaultModel: "m", headers: { b: "2" }, models: { m: { output: 20 } } },
    },
  });
  const { config } = await fixture.readTrusted();
  const usual = { description: "", model: null, wish: {}, tools: null, permissions: [] };
  assert.deepEqual(config, {
    model: "a/project",
    wish: {},
    smallModel: "a/small",
    catalogue: null,
    agent: null,
    agents: new Map([
      [
        "both",
        {
          description: "user",
          prompt: "project",
          model: null,
          wish: {},
          tools: ["read"],
          permissions: [rule("u"), rule("p")],
        },
      ],
      ["one", { ...usual, prompt: "one" }],
      ["two", { ...usual, prompt: "two" }],
    ]),
    commands: new Map(),
    permissions: [rule("user"), rule("project")],
    mcp: new Map([
      [
        "kept",
        {
          type: "stdio",
          command: ["kept"],
          env: { A: "1", B: "3" },
          cwd: fixture.directory,
          timeout: 1_000,
        },
      ],
      [
        "replaced",
        { type: "stdio", command: ["other"], env: {}, cwd: fixture.directory, timeout: null },
      ],
    ]),
    providers: new Map([
      [
        "acme",
        {
          protocol: "compatible",
          baseUrl: "http://a/v1",
          key: null,
          headers: { a: "1", b: "2" },
          defaultModel: "m",
          models: new Map([
            ["m", { context: 5_000, output: 20, images: null, wish: {}, price: null }],
          ]),
        },
      ],
    ]),
    limits: {
      maxSteps: 5,
      stopGrace: 9_000,
      budget: { tokens: 3, cost: 1 },
      onBudget: null,
      budgetAskTime: null,
      daily: { tokens: null, cost: 9 },
      monthly: null,
      token: null,
      shellTimeout: null,
      fetchTimeout: null,
    },
    recovery: null,
    retention: { archiveAfter: null, deleteArchivedAfter: null, deleteUploadsAfter: null },
    quotas: { uploadBytes: null, sessions: null, logBytes: null },
    sandbox: {
      shell: null,
      network: null,
      allowedPaths: [],
      privateAddresses: null,
      variables: ["USER_URL", "BOTH", "PROJECT_URL"],
    },
    hooks: {
      promptAccepted: [],
      beforeTool: [],
      afterTool: [],
      settled: [
        { command: "user", match: null, timeout: 30_000 },
        { command: "project", match: null, timeout: 30_000 },
      ],
      notice: [],
    },
    instructions: [],
  });
});

test("a relative path starts at the file that contains it, even after the merge", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", {
    mcp: { s: { command: ["x"], env: { USER: "{file:USER.txt}" } } },
  });
  fixture.write("project/holdfast.jsonc", {
    mcp: { s: { env: { PROJECT: "{file:PROJECT.txt}" } } },
  });
  fixture.write("user/USER.txt", "from the user's folder");
  fixture.write("project/PROJECT.txt", "from the project");
  const { config } = await fixture.readTrusted();
  assert.deepEqual(config.mcp.get("s"), {
    type: "stdio",
    command: ["x"],
    env: { USER: "from the user's folder", PROJECT: "from the project" },
    cwd: fixture.directory,
    timeout: null,
  });
});

test("a trusted command of the project replaces the user's command of the same name", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/commands/review.md", "---\nmodel: a/b\n---\nthe user's");
  fixture.write("user/commands/mine.md", "mine");
  fixture.write("project/.holdfast/commands/review.md", "the project's");
  const { config } = await fixture.readTrusted();
  const usual = { description: "", agent: null, model: null, wish: {} };
  assert.deepEqual(
    config.commands,
    new Map([
      ["mine", { ...usual, file: join(fixture.userFolder, "commands/mine.md"), text: "mine" }],
      [
        "review",
        {
          ...usual,
          file: join(fixture.directory, ".holdfast/commands/review.md"),
          text: "the project's",
        },
      ],
    ]),
  );
});

test("without a project, only the user's files are read", async (t) => {
  const { readConfig } = await import("../../../src/workspace/config/read-config.ts");
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", { model: "a/b" });
  fixture.write("project/holdfast.jsonc", "broken");
  const { userFolder } = fixture;
  const read = await readConfig({ directory: null, userFolder, environment: {}, trusted: null });
  assert.equal(read.config.model, "a/b");
  assert.deepEqual(
    read.files.filter((file) => file.startsWith(join(fixture.root, "project"))),
    [],
  );
});
