import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { Script } from "../../../../../gauntlet/model-server/script.ts";
import type { Setup } from "../../../src/compose/setup.ts";
import type { LaneEvent } from "../../../src/kernel/event.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { openRuntimeOnSetup } from "../support/runtime-on-setup.ts";
import type { Ended } from "../support/runtime-on-setup.ts";
import { openConfigFixture } from "./config-fixture.ts";
import type { ConfigFixture } from "./config-fixture.ts";

export interface AtWork {
  readonly fixture: ConfigFixture;
  readonly server: ModelServer;
  readonly setup: Setup;
  readonly runtime: Runtime;
  /** Sends a prompt to a new session, and waits for its outcome. */
  run(text: string, fields?: Partial<Parameters<Runtime["prompt"]>[0]>): Promise<Worked>;
  /** Trusts the project's config as it is now. */
  trust(): Promise<void>;
}

export interface Worked extends Ended {
  readonly events: readonly LaneEvent[];
}

/** A user's config that connects the model server as the provider `lab`, and the rest of it. */
export function connecting(server: Pick<ModelServer, "addresses">, more: object = {}): object {
  const lab = { baseUrl: server.addresses.openaiChat, key: "{env:LAB_KEY}" };
  return { model: "lab/usual", providers: { lab }, ...more };
}

/** The program's own agent in a project, set up only by config files, on a real store and real sockets. */
export async function startWork(
  t: TestContext,
  script: Script,
  /** Writes the first files. */
  prepare: (fixture: ConfigFixture, server: ModelServer) => void,
): Promise<AtWork> {
  // Registered before the files are removed: cleanup runs in the order of registration.
  let end: (() => Promise<void>) | null = null;
  t.after(() => end?.());
  const fixture = openConfigFixture(t);
  const server = await startModelServer(script);
  prepare(fixture, server);
  const home = join(fixture.root, "home");
  const { setup, runtime, errors, ...opened } = await openRuntimeOnSetup({
    root: fixture.root,
    titles: true,
    model: null,
    environment: {
      PATH: process.env["PATH"],
      HOME: home,
      XDG_CONFIG_HOME: join(fixture.root, "config"),
      XDG_DATA_HOME: join(fixture.root, "data"),
      LAB_KEY: "sk-lab-4711",
    },
    home,
  });
  end = async () => {
    await opened.close();
    await server.close();
    assert.deepEqual(errors, []);
  };
  let count = 0;
  return {
    fixture,
    server,
    setup,
    runtime,
    run: async (text, fields = {}) => {
      count += 1;
      const names = { sessionId: `session-${count}`, promptId: `prompt-${count}` };
      await runtime.createSession({ ...names, directory: fixture.directory });
      await runtime.prompt({ ...names, text, ...fields });
      return {
        ...(await opened.ended(names)),
        events: await runtime.store.events(names.sessionId, { after: null, limit: 1_000 }),
      };
    },
    trust: async () => {
      const { powers } = await setup.configs.read(fixture.directory);
      assert.deepEqual(await setup.configs.trust(fixture.directory, powers.digest), {
        status: "trusted",
      });
    },
  };
}
