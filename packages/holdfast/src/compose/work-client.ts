import { createRuntime } from "../runtime/runtime.ts";
import { readCaps } from "./caps.ts";
import type { Client } from "./client.ts";
import { onRuntime } from "./in-process.ts";
import { modelOf, openSetup } from "./setup.ts";
import type { Setup } from "./setup.ts";
import { openStore } from "./stores.ts";

/** A client that runs the prompts of one session and its child sessions in this process. */
export interface WorkClient extends Client {
  readonly url: null;
  /** The name of the model that the coding agent uses; null for the demo agent. */
  readonly model: string | null;
  /** Lists other sessions with unfinished work. This client does not continue them. */
  unfinished(): Promise<readonly { readonly sessionId: string }[]>;
}

export interface WorkOptions {
  readonly store: string;
  readonly sessionId: string;
  /** The directory from which the prompt is sent. */
  readonly directory: string;
  /** In the form `provider/model`; null: chosen by the environment or a config. */
  readonly model: string | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  readonly onError: (error: unknown) => void;
}

/** Time limit in milliseconds for completing the search index before a command ends. */
const longestIndexing = 500;

export async function openWork(options: WorkOptions): Promise<WorkClient> {
  // Do not watch the config: an edit during a run would apply only to later runs.
  return workOn(await openSetup({ ...options, watch: false }), options);
}

/**
 * Opens a client that owns the given setup. The setup is closed together with the client, or if the client cannot be
 * opened.
 */
export async function workOn(
  setup: Setup,
  { sessionId: onlySession, directory, store: address, onError }: WorkOptions,
): Promise<WorkClient> {
  await using stack = new AsyncDisposableStack();
  stack.defer(() => setup.close());
  // A missing model is reported before anything is created.
  const model = modelOf(await setup.choice(directory));
  const store = await openStore(address);
  stack.defer(() => store.close());
  const hooked = await setup.bind(store);
  stack.defer(() => hooked.close());
  const { agent, redact, secrets, host: workspaces } = setup;
  const caps = await readCaps(setup.configs);
  const runtime = await createRuntime({
    agent,
    store: hooked.store,
    workspaces,
    onlySession,
    redact,
    secrets,
    caps: caps.now,
    onError,
  });
  setup.attach(runtime);
  const holdfast = await onRuntime(runtime, { onError });
  stack.defer(() => holdfast.close());
  // Complete the search index before this command ends, because a later process that only reads cannot do so.
  stack.defer(async () => {
    await runtime.indexTexts(longestIndexing).catch(onError);
  });
  const owned = stack.move();
  return {
    holdfast,
    url: null,
    model,
    unfinished: () => runtime.unfinished(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
