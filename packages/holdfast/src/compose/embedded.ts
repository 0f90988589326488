import { createRuntime } from "../runner/runtime.ts";
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

export async function openEmbedded(options: {
  store: string;
  sessionId: string;
  /** Where the prompt was sent from. */
  directory: string;
  /** As `provider/model`; the environment's or a config's choice if it is null. */
  model: string | null;
  environment: NodeJS.ProcessEnv;
  home: string;
  onError: (error: unknown) => void;
}): Promise<Embedded> {
  const { sessionId: onlySession, onError } = options;
  const { agent, workspaces, redact, choice } = await openSetup(options);
  // A model that is not there is found out before anything is made.
  const model = modelOf(await choice(options.directory));
  const [{ onRuntime }, store] = await Promise.all([
    import("./in-process.ts"),
    openStore(options.store),
  ]);
  try {
    const runtime = await createRuntime({
      agent,
      store,
      workspaces,
      onlySession,
      redact,
      onError,
    });
    const holdfast = await onRuntime(runtime, { onError });
    const close = async (): Promise<void> => {
      await holdfast.close();
      await store.close();
    };
    return { holdfast, url: null, model, unfinished: () => runtime.unfinished(), close };
  } catch (error) {
    await store.close();
    throw error;
  }
}
