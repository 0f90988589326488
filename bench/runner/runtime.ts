import { createRuntime } from "../../packages/holdfast/src/runtime/runtime.ts";
import type { Runtime } from "../../packages/holdfast/src/runtime/runtime.ts";
import type { Agent } from "../../packages/holdfast/src/agent/agent.ts";
import { constantWorkspaces } from "../../packages/holdfast/src/workspace/workspaces.ts";
import type { Workspaces } from "../../packages/holdfast/src/workspace/workspaces.ts";
import type { Place } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";

/** Opens a runtime that can execute `maxRuns` runs concurrently, in any directory. */
export async function openRuntime(options: {
  place: Place;
  agent: Agent;
  maxRuns: number;
  /** Workspaces that runs use; default: none. */
  workspaces?: Workspaces;
}): Promise<Runtime> {
  const { place, agent, maxRuns, workspaces = constantWorkspaces() } = options;
  const store = await openPlace(place);
  const limits = { maxRuns, maxRunsPerDirectory: maxRuns };
  const runtime = await createRuntime({ store, agent, workspaces, ...limits });
  return {
    ...runtime,
    close: async (draining) => {
      await runtime.close(draining);
      await store.close();
    },
  };
}

export async function openSession(
  holdfast: Runtime,
  directory = "/projects/bench",
): Promise<string> {
  const { sessionId } = await holdfast.createSession({ directory });
  return sessionId;
}

/** Sends a prompt and waits for its outcome. */
export async function ask(holdfast: Runtime, sessionId: string, text: string): Promise<void> {
  const { promptId } = await holdfast.prompt({ sessionId, text });
  const row = await holdfast.wait({ sessionId, promptId });
  if (row?.outcome?.status !== "completed") {
    throw new Error(`a prompt ended as ${row?.outcome?.status ?? "unknown"}`);
  }
}
