import { createHoldfast } from "../../packages/holdfast/src/runner/holdfast.ts";
import type { Holdfast } from "../../packages/holdfast/src/runner/holdfast.ts";
import type { Agent } from "../../packages/holdfast/src/agent/agent.ts";
import type { Place } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";

/** A runtime with so many places for runs, whatever their directories. */
export async function openRuntime(options: {
  place: Place;
  agent: Agent;
  maxRuns: number;
}): Promise<Holdfast> {
  const { place, agent, maxRuns } = options;
  const store = await openPlace(place);
  return createHoldfast({ store, agent, maxRuns, maxRunsPerDirectory: maxRuns });
}

export async function openSession(holdfast: Holdfast): Promise<string> {
  const { sessionId } = await holdfast.createSession({ directory: "/projects/bench" });
  return sessionId;
}

/** Sends a prompt and waits for its outcome. */
export async function ask(holdfast: Holdfast, sessionId: string, text: string): Promise<void> {
  const { promptId } = await holdfast.prompt({ sessionId, text });
  const row = await holdfast.wait({ sessionId, promptId });
  if (row?.outcome?.status !== "completed") {
    throw new Error(`a prompt ended as ${row?.outcome?.status ?? "unknown"}`);
  }
}
