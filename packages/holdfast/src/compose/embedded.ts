import { readCaps } from "./caps.ts";
import { createRuntime } from "../runtime/runtime.ts";
import type { Client } from "./client.ts";
import { modelOf, openSetup } from "./setup.ts";
import { openStore } from "./stores.ts";

/** A client that does the work itself, on one session and its children alone. */
export interface Embedded extends Client {
  readonly url: null;
  /** The name of the model that the coding agent uses; null for the demo agent. */
  readonly model: string | null;
  /** Sessions with work that is left alone here. */
  unfinished(): Promise<readonly { readonly sessionId: string }[]>;
}

export interface EmbeddedOptions {
  readonly store: string;
  readonly sessionId: string;
  /** Where the prompt was sent from. */
  readonly directory: string;
  /** As `provider/model`; the environment's or a config's choice if it is null. */
  readonly model: string | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
  readonly onError: (error: unknown) => void;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { sessionId: onlySession, onError } = options;
  // Nobody edits a config for a run that is under way, and it would be the next one's anyway.
  const setup = await openSetup({ ...options, watch: false });
  // A model that is not there is found out before anything is made.
  const model = modelOf(await setup.choice(options.directory));
  const [{ onRuntime }, store] = await Promise.all([
    import("./in-process.ts"),
    openStore(options.store),
  ]);
  try {
    const { agent, redact, secrets, host: workspaces } = setup;
    const caps = await readCaps(setup.configs);
    const runtime = await createRuntime({
      agent,
      store: await setup.bind(store),
      workspaces,
      onlySession,
      redact,
      secrets,
      caps: caps.now,
      onError,
    });
    setup.attach(runtime);
    const holdfast = await onRuntime(runtime, { onError });
    const close = async (): Promise<void> => {
      await holdfast.close();
      await setup.close();
      await store.close();
    };
    return { holdfast, url: null, model, unfinished: () => runtime.unfinished(), close };
  } catch (error) {
    await setup.close();
    await store.close();
    throw error;
  }
}
