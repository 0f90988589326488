import { createRuntime } from "../../packages/holdfast/src/runner/runtime.ts";
import type { Runtime } from "../../packages/holdfast/src/runner/runtime.ts";
import type { Agent } from "../../packages/holdfast/src/agent/agent.ts";
import type { Place } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";

/** A runtime with so many places for runs, whatever their directories. */
export async function openRuntime(options: {
  place: Place;
  agent: Agent;
  maxRuns: number;
}): Promise<Runtime> {
  const { place, agent, maxRuns } = options;
  const store = await openPlace(place);
  const limits = { maxRuns, maxRunsPerDirectory: maxRuns };
  const runtime = await createRuntime({ store, agent, ...limits });
  return {
    ...runtime,
    close: async (draining) => {
      await runtime.close(draining);
      await store.close();
    },
  };
}

export async function openSession(holdfast: Runtime): Promise<string> {
  const { sessionId } = await holdfast.createSession({ directory: "/projects/bench" });
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
