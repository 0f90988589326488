import { openPlace } from "../engine/engines.ts";
import type { Place } from "../engine/engine.ts";
import { createRuntime } from "../../packages/holdfast/src/runtime/runtime.ts";
import { searchViews } from "../../packages/holdfast/src/runtime/views/search.ts";
import { streamingAgent } from "./streaming-agent.ts";

/**
 * Fills a store with idle sessions that have one prompt each, and its search index. Otherwise a server would index the
 * texts while something else is measured.
 */
export async function fillStore(place: Place, sessions: number): Promise<readonly string[]> {
  const ids = Array.from({ length: sessions }, (_, index) => `session-${index}`);
  const store = await openPlace(place);
  const runtime = await createRuntime({ store, agent: streamingAgent, maxRuns: 0 });
  let next = 0;
  const fill = async (): Promise<void> => {
    for (let sessionId = ids[next++]; sessionId !== undefined; sessionId = ids[next++]) {
      await runtime.createSession({ sessionId, directory: "/projects/bench", title: sessionId });
      await runtime.prompt({ sessionId, text: "to be known", reply: false });
    }
  };
  await Promise.all(Array.from({ length: 64 }, fill));
  await runtime.close();
  await searchViews(store).indexTexts(3_600_000);
  await store.close();
  return ids;
}
