import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { startModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { ModelServer } from "../../../../../gauntlet/model-server/model-server.ts";
import type { Script } from "../../../../../gauntlet/model-server/script.ts";
import type { Setup } from "../../../src/compose/setup.ts";
import type { MaintenanceAction, MaintenanceCause } from "../../../src/kernel/maintenance.ts";
import type { MaintenanceAnswer } from "../../../src/runner/maintenance/maintenance.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { openRuntimeOnSetup } from "../support/runtime-on-setup.ts";
import type { Ended } from "../support/runtime-on-setup.ts";

export interface WorkspaceFixture {
  /** The project. */
  readonly directory: string;
  readonly data: string;
  readonly server: ModelServer;
  readonly setup: Setup;
  readonly runtime: Runtime;
  /** Errors of work that nothing waits for. */
  readonly errors: unknown[];
  /** Writes a file by its path in the fixture: `project/…`, `config/holdfast/…`. */
  write(path: string, content: string | object): void;
  /** Sends a prompt to a session of its own name. */
  send(name: string, fields: Partial<Parameters<Runtime["prompt"]>[0]>): Promise<void>;
  ended(name: string): Promise<Ended>;
  /** The id of the session's run, once it has one. */
  runOf(name: string): Promise<string>;
  /** Runs the refresh that every provider route runs after its change. */
  refreshed(
    change: Pick<Parameters<Runtime["maintenance"]["request"]>[0], "mode" | "revoke">,
  ): Promise<MaintenanceAnswer>;
  /** Waits for the next action of this cause to end. */
  nextEnd(cause: MaintenanceCause): Promise<MaintenanceAction>;
}

const environmentKey = "sk-environment-0123456789abcdef";

/** Opens everything that a server has around its runs, with its own home folder and a model on a real socket. */
export async function openWorkspaceFixture(
  t: TestContext,
  options: {
    readonly script: Script;
    readonly files?: Readonly<Record<string, string | object>>;
    readonly environment?: Readonly<Record<string, string>>;
    /** The model server is the environment's provider `local`. */
    readonly connected?: true;
    readonly model?: string;
    readonly titles?: true;
    /** Sessions work in the folder that contains the project and all other files. */
    readonly above?: true;
    readonly mayFail?: true;
    readonly now?: () => number;
    readonly onWarning?: (message: string) => void;
  },
): Promise<WorkspaceFixture> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-house-")));
  const directory = options.above === true ? root : join(root, "project");
  const data = join(root, "data");
  mkdirSync(directory, { recursive: true });
  const write: WorkspaceFixture["write"] = (path, content) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  };
  for (const [path, content] of Object.entries(options.files ?? {})) write(path, content);
  const server = await startModelServer(options.script);
  const { setup, runtime, errors, ...opened } = await openRuntimeOnSetup({
    root,
    titles: options.titles === true,
    model: options.model ?? null,
    environment: {
      PATH: process.env["PATH"],
      XDG_CONFIG_HOME: join(root, "config"),
      XDG_DATA_HOME: data,
      ...(options.connected === true
        ? { HOLDFAST_BASE_URL: server.addresses.openaiChat, HOLDFAST_API_KEY: environmentKey }
        : {}),
      ...options.environment,
    },
    home: root,
    dataFolder: data,
    ...(options.now === undefined ? {} : { now: options.now }),
    ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
  });
  t.after(async () => {
    await opened.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
    if (options.mayFail !== true) assert.deepEqual(errors, []);
  });
  const eventOf = async (name: string, type: "run.started"): Promise<string> => {
    for await (const event of runtime.events({ sessionId: name })) {
      if (event.type === type) return event.runId;
    }
    throw new Error("the events of a session do not end");
  };
  return {
    directory,
    data,
    server,
    setup,
    runtime,
    errors,
    write,
    send: async (name, fields) => {
      await runtime.createSession({ sessionId: name, directory });
      await runtime.prompt({ sessionId: name, promptId: name, text: "", ...fields });
    },
    ended: (name) => opened.ended({ sessionId: name, promptId: name }),
    runOf: (name) => eventOf(name, "run.started"),
    refreshed: (change) =>
      runtime.maintenance.request({
        kind: "refresh",
        directories: null,
        cause: "provider",
        ...change,
      }),
    nextEnd: (cause) =>
      new Promise((resolve) => {
        const stop = runtime.maintenance.onChange((action) => {
          if (action.cause !== cause || action.endedAt === null) return;
          stop();
          resolve(action);
        });
      }),
  };
}
