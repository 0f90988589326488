import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { Script } from "../../../../../gauntlet/model-server/script.ts";
import { openSetup } from "../../../src/compose/setup.ts";
import type { Setup } from "../../../src/compose/setup.ts";
import { openStore } from "../../../src/compose/stores.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import { createRuntime } from "../../../src/runner/runtime.ts";
import type { Runtime } from "../../../src/runner/runtime.ts";
import { openScene } from "./scene.ts";
import type { Scene } from "./scene.ts";

export interface AtWork {
  readonly scene: Scene;
  readonly server: ModelServer;
  readonly setup: Setup;
  readonly runtime: Runtime;
  /** Sends a prompt to a session of its own, and waits for what becomes of it. */
  run(text: string, fields?: Partial<Parameters<Runtime["prompt"]>[0]>): Promise<Worked>;
  /** Trusts the project's config as it is now. */
  trust(): Promise<void>;
}

export interface Worked {
  readonly ended: string;
  readonly text: string | null;
  readonly events: readonly LaneEvent[];
}

/** A user's config that connects the model server as the provider `lab`, and the rest of it. */
export function connecting(server: Pick<ModelServer, "addresses">, more: object = {}): object {
  const lab = { baseUrl: server.addresses.openaiChat, key: "{env:LAB_KEY}" };
  return { model: "lab/usual", providers: { lab }, ...more };
}

/** The program's own agent in a project, set up by config files alone, on a real store and sockets. */
export async function startWork(
  t: TestContext,
  script: Script,
  /** Writes the first files. */
  prepare: (scene: Scene, server: ModelServer) => void,
): Promise<AtWork> {
  // Before the files are removed: this is done in the order in which it is asked for.
  let end: (() => Promise<void>) | null = null;
  t.after(() => end?.());
  const scene = openScene(t);
  const server = await startModelServer(script);
  prepare(scene, server);
  const home = join(scene.root, "home");
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const setup = await openSetup({
    model: null,
    environment: {
      PATH: process.env["PATH"],
      HOME: home,
      XDG_CONFIG_HOME: join(scene.root, "config"),
      XDG_DATA_HOME: join(scene.root, "data"),
      LAB_KEY: "sk-lab-4711",
    },
    home,
    watch: true,
    onError,
  });
  const store = await openStore(join(scene.root, "holdfast.db"));
  const runtime = await createRuntime({
    agent: setup.agent,
    workspaces: setup.host,
    redact: setup.redact,
    store: setup.bind(store),
    pollEvery: 50,
    onError,
  });
  setup.attach(runtime);
  end = async () => {
    await runtime.close({ deadline: 2_000 });
    await setup.close();
    await store.close();
    await server.close();
    assert.deepEqual(errors, []);
  };
  let count = 0;
  return {
    scene,
    server,
    setup,
    runtime,
    run: async (text, fields = {}) => {
      count += 1;
      const names = { sessionId: `session-${count}`, promptId: `prompt-${count}` };
      await runtime.createSession({ ...names, directory: scene.directory });
      await runtime.prompt({ ...names, text, ...fields });
      const row = await runtime.wait(names);
      assert.ok(row?.outcome);
      const { status, reason } = row.outcome;
      return {
        ended: reason === null ? status : `${status}: ${reason}`,
        text: await runtime.resultText(row),
        events: await runtime.store.events(names.sessionId, { after: null, limit: 1_000 }),
      };
    },
    trust: async () => {
      const { powers } = await setup.configs.read(scene.directory);
      assert.deepEqual(await setup.configs.trust(scene.directory, powers.digest), {
        status: "trusted",
      });
    },
  };
}
