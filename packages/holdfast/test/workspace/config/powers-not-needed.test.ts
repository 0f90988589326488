import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import { openConfigFixture } from "./config-fixture.ts";

const allow = { action: "run", pattern: "npm *", effect: "allow" };

test("restrictions, and texts for the model, apply without trust", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", {
    mcp: { s: { command: ["mine"] } },
    sandbox: { shell: "auto" },
    limits: { maxSteps: 10, budget: { cost: 5 } },
    agents: { quiet: { prompt: "quiet" } },
  });
  fixture.write("project/notes.md", "notes");
  fixture.write("project/holdfast.jsonc", {
    agent: "quiet",
    agents: { own: { prompt: "own", permissions: [{ ...allow, effect: "deny" }] } },
    permissions: [
      { ...allow, effect: "ask" },
      { ...allow, effect: "deny" },
    ],
    mcp: { s: { enabled: false } },
    sandbox: { shell: "required", network: false, privateAddresses: false },
    limits: { maxSteps: 5, stopGrace: "4s", budget: { cost: 1, tokens: 1_000 } },
    recovery: "settle",
    instructions: ["notes.md"],
  });
  fixture.write("project/.holdfast/commands/do.md", "---\nagent: quiet\n---\ndo");
  const { powers, notices, config } = await fixture.read();
  assert.deepEqual(powers, { digest: null, trusted: true, list: [] });
  assert.deepEqual(notices, []);
  assert.equal(config.limits.maxSteps, 5);
  assert.equal(config.mcp.size, 0);
});

test("settings that go no further than the user's own or the default need no trust", async (t) => {
  const fixture = openConfigFixture(t);
  const limits = { maxSteps: 10, stopGrace: "1s", budget: { cost: 5 } };
  fixture.write("user/config.jsonc", {
    limits,
    recovery: "hold",
    sandbox: { shell: "off", network: true },
  });
  fixture.write("project/holdfast.jsonc", {
    limits: { ...limits, shellTimeout: "10m", fetchTimeout: "30s", budgetAskTime: "1h" },
    recovery: "hold",
    sandbox: { shell: "off", network: true },
    agents: { constructor: { prompt: "not one of the user's" } },
  });
  assert.deepEqual((await fixture.read()).powers, { digest: null, trusted: true, list: [] });
});

test("a project may set a time limit up to the default of the tools without trust", async (t) => {
  const { shell, fetch } = defaultToolSettings;
  const listed = async (more: number): Promise<readonly string[]> => {
    const fixture = openConfigFixture(t);
    fixture.write("project/holdfast.jsonc", {
      limits: {
        shellTimeout: `${shell.timeout + more}ms`,
        fetchTimeout: `${fetch.timeout + more}ms`,
      },
    });
    return (await fixture.read()).powers.list.map(({ key }) => key);
  };
  assert.deepEqual(await listed(0), []);
  assert.deepEqual(await listed(1), ["limits.shellTimeout", "limits.fetchTimeout"]);
});
