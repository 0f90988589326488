import type { PromptBody } from "../agent/message.ts";
import { readBody } from "../log/bodies.ts";
import { assistantMessage } from "../log/event-message.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { DescribedRun, RunFacts } from "../server/tracing/run-facts.ts";
import type { OpenGeneration } from "../workspace/host.ts";

/** Reads data for traces from the store and from loaded directories. `agent` is the runtime's agent. */
export function createRunFacts(
  runtime: Pick<Runtime, "store" | "workspaces">,
  agent: { readonly name: string },
): RunFacts {
  const { store, workspaces } = runtime;
  const setupOf = (directory: string, generation: string | null) => {
    const { current = null, retired = [] } = workspaces?.get(directory) ?? {};
    const known: readonly OpenGeneration[] = current === null ? retired : [current, ...retired];
    return known.find(({ id }) => id === generation)?.workspace.setup ?? null;
  };
  return {
    run: async (event): Promise<DescribedRun> => {
      const { sessionId, runId, generation } = event;
      const lane = await store.lane(sessionId);
      const run = lane?.active?.kind === "run" && lane.active.runId === runId ? lane.active : null;
      const promptId = event.type === "run.started" ? event.promptId : run?.startedBy;
      const row = promptId === undefined ? null : await store.prompt(sessionId, promptId);
      const named = await readBody<PromptBody>(store, row?.body ?? null);
      const setup = lane === null ? null : setupOf(lane.directory, generation);
      const chosen = named?.agent ?? (run ?? lane)?.agent ?? null;
      const profile = setup?.profiles.get(chosen ?? setup.defaultProfile) ?? null;
      return {
        agent: chosen ?? profile?.name ?? agent.name,
        model: named?.model ?? profile?.model ?? setup?.models.chosen ?? null,
      };
    },
    answer: async (event) => {
      const { extra } = await assistantMessage(store, event);
      const fields: Partial<Record<string, unknown>> =
        typeof extra === "object" && extra !== null ? { ...extra } : {};
      const { model, finish } = fields;
      const guess = event.calls.length > 0 ? "calls" : "stop";
      const reason = typeof finish === "string" ? finish : guess;
      return {
        model: typeof model === "string" ? model : null,
        finish: event.interrupted ? null : (finishReasons.get(reason) ?? reason),
      };
    },
  };
}

/** Finish reasons that Holdfast names differently, with their names in the GenAI conventions. */
const finishReasons: ReadonlyMap<string, string> = new Map([
  ["calls", "tool_calls"],
  ["filter", "content_filter"],
]);
