import { demoAgent } from "../agent/demo/demo-agent.ts";
import { createRuntime } from "../runner/runtime.ts";
import type { Runtime } from "../runner/runtime.ts";
import type { Store } from "../store/store.ts";
import { chooseAgent } from "./agent.ts";
import { openStore } from "./stores.ts";

export interface OpenedRuntime {
  readonly runtime: Runtime;
  /** The name of the model that the coding agent uses; null for the demo agent. */
  readonly model: string | null;
  /** Takes configured keys out of a text. */
  readonly redact: (text: string) => string;
}

/** A runtime for one session and its children alone. */
export async function openRuntime(options: {
  store: string;
  sessionId: string;
  /** As `provider/model`; the environment's choice if it is null. */
  model: string | null;
  environment: NodeJS.ProcessEnv;
  home: string;
  onError: (error: unknown) => void;
}): Promise<OpenedRuntime> {
  const { sessionId: onlySession, onError } = options;
  const { agent, model, redact } = await chooseAgent(options);
  const store = await openStore(options.store);
  try {
    const opened = await createRuntime({ agent, store, onlySession, redact, onError });
    const close: Runtime["close"] = async (draining) => {
      await opened.close(draining);
      await store.close();
    };
    return { runtime: { ...opened, close }, model, redact };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A runtime that does exclusive work on one session and starts no runs. */
export function openWorkshop(store: Store, sessionId: string): Promise<Runtime> {
  return createRuntime({ agent: demoAgent, store, onlySession: sessionId, maxRuns: 0 });
}
