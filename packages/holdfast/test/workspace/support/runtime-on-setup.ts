import assert from "node:assert/strict";
import { join } from "node:path";
import { openSetup } from "../../../src/compose/setup.ts";
import type { Setup, SetupOptions } from "../../../src/compose/setup.ts";
import { openStore } from "../../../src/compose/stores.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { waitFor } from "../../support/wait-for.ts";

/** The program's own agent on a real store, set up by the files around it. */
export interface RuntimeOnSetup {
  readonly setup: Setup;
  readonly runtime: Runtime;
  /** Errors of work that nothing waits for. */
  readonly errors: unknown[];
  /** Resolves with the outcome of a prompt. */
  ended(name: { sessionId: string; promptId: string }): Promise<Ended>;
  close(): Promise<void>;
}

export interface Ended {
  /** Outcome such as `completed` or `failed: badKey`. */
  readonly ended: string;
  readonly text: string | null;
}

export async function openRuntimeOnSetup(
  options: Omit<SetupOptions, "watch" | "onError"> & {
    /** Folder in which the store is created. */
    readonly root: string;
    readonly titles: boolean;
  },
): Promise<RuntimeOnSetup> {
  const { root, titles, ...given } = options;
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const setup = await openSetup({ ...given, watch: true, onError });
  const store = await openStore(join(root, "holdfast.db"));
  const hooked = await setup.bind(store);
  const runtime = await createRuntime({
    agent: setup.agent,
    workspaces: setup.host,
    redact: setup.redact,
    store: hooked.store,
    pollEvery: 50,
    titles,
    onError,
  });
  setup.attach(runtime);
  return {
    setup,
    runtime,
    errors,
    ended: async (name) => {
      const describe = `the outcome of ${name.promptId}`;
      const row = await waitFor(() => runtime.wait(name), { describe, limit: 60_000 });
      assert.ok(row?.outcome, `${name.promptId} is settled`);
      const { status, reason } = row.outcome;
      const ended = reason === null ? status : `${status}: ${reason}`;
      return { ended, text: await runtime.resultText(row) };
    },
    close: async () => {
      await runtime.close({ deadline: 2_000 });
      await hooked.close();
      await setup.close();
      await store.close();
    },
  };
}
