import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openSetup } from "../../../src/compose/setup.ts";
import type { Setup } from "../../../src/compose/setup.ts";
import { openStore } from "../../../src/compose/stores.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const program = join(import.meta.dirname, "../../support/stub-agent.ts");

interface TwoNodes {
  /** Runs a prompt on one of the nodes. The node keeps its agent processes after that. */
  readonly run: (node: 0 | 1, text: string) => Promise<void>;
  readonly lines: (name: string) => readonly string[];
}

/** Two nodes with their own agent processes, on one store and one folder of the agent. */
async function openTwoNodes(t: TestContext): Promise<TwoNodes> {
  const root = scratchFolder(t, "two-nodes");
  const [home, directory] = [join(root, "stub"), join(root, "project")];
  const configFolder = join(root, ".config", "holdfast");
  for (const folder of [home, directory, configFolder]) mkdirSync(folder, { recursive: true });
  const acp = { command: [process.execPath, program], env: { STUB_HOME: home } };
  const config = { agent: "stub", agents: { stub: { acp } } };
  writeFileSync(join(configFolder, "config.jsonc"), JSON.stringify(config));
  const environment = { PATH: process.env["PATH"], HOME: root };
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const open = (): Promise<Setup> =>
    openSetup({ environment, home: root, model: null, watch: false, onError });
  const nodes = [await open(), await open()] as const;
  const store = await openStore(join(root, "holdfast.db"));
  t.after(async () => {
    for (const node of nodes) await node.close();
    await store.close();
    assert.deepEqual(errors, []);
  });
  return {
    run: async (node, text) => {
      const setup = nodes[node];
      const runtime = await createRuntime({
        agent: setup.agent,
        workspaces: setup.host,
        store,
        pollEvery: 50,
        titles: false,
        onError,
      });
      const prompt = { sessionId: "main", promptId: text.replaceAll(" ", "-") };
      try {
        await runtime.createSession({ sessionId: "main", directory });
        await runtime.prompt({ ...prompt, text });
        const row = await runtime.wait(prompt);
        assert.equal(row?.outcome?.status, "completed");
      } finally {
        await runtime.close({ deadline: 2_000 });
      }
    },
    lines: (name) => {
      const file = join(home, name);
      return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
    },
  };
}

test("H1 H5 a process that missed a turn on another node is replaced, and the new one loads the session", async (t) => {
  const { run, lines } = await openTwoNodes(t);
  await run(0, "say one");
  await run(1, "say two");
  await run(0, "say three");
  await run(0, "say four");
  // New processes load the session for "say two" and "say three". The process of "say three" also runs "say four".
  assert.equal(lines("loads").length, 2);
  assert.deepEqual(lines("prompts"), ['"say one"', '"say two"', '"say three"', '"say four"']);
});
