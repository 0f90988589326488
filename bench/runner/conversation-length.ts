import type { Runtime } from "../../packages/holdfast/src/runtime/runtime.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant } from "../measure/alternate.ts";
import { compareCosts } from "../measure/compare.ts";
import { costTargets } from "../measure/cost-targets.ts";
import { drive } from "../measure/drive.ts";
import { instantAgent, readingText } from "./instant-agent.ts";
import { ask, openRuntime, openSession } from "./runtime.ts";

/** Compares a prompt in a long conversation with one in a short conversation. */
export async function benchConversationLength(
  engine: Engine,
  options: BenchmarkOptions,
): Promise<Findings> {
  const long = options.quick ? 30 : 1_000;
  const holdfast = await openRuntime({
    place: await engine.newPlace(),
    agent: instantAgent,
    maxRuns: 8,
  });
  try {
    options.progress(`a conversation of ${long} prompts`);
    const contestants: Contestant[] = [
      await afterPrompts(holdfast, 1),
      await afterPrompts(holdfast, long),
    ];
    options.progress("prompts after it and after a single prompt, alternately");
    const schedule = options.quick ? { slices: 3, sliceMs: 25 } : { slices: 16, sliceMs: 250 };
    const measured = await alternate(contestants, schedule);
    const figures = compareCosts(measured, nameOf(1)).map((figure) => ({
      engine: engine.name,
      group: "a prompt by length of the conversation",
      ...figure,
    }));
    const targets = costTargets(figures, {
      engine: engine.name,
      series: ["answered", "read and answered"],
      largest: nameOf(long),
      label: "cost of a prompt",
      atMost: 1.2,
    });
    return { figures, targets };
  } finally {
    await holdfast.close();
  }
}

function nameOf(prompts: number): string {
  return `${prompts.toLocaleString("en-US")} before`;
}

async function afterPrompts(holdfast: Runtime, length: number): Promise<Contestant> {
  const build = async (): Promise<{ sessionId: string; prompts: number }> => {
    const sessionId = await openSession(holdfast);
    for (let prompts = 0; prompts < length; prompts += 1) await ask(holdfast, sessionId, "go on");
    return { sessionId, prompts: length };
  };
  let session = await build();
  return {
    name: nameOf(length),
    round: async () => {
      // Each measured prompt makes the conversation longer. Above this length, continue with a new conversation.
      if (session.prompts > length * 2 + 10) session = await build();
      const { sessionId } = session;
      session.prompts += 2;
      const timed = async (series: string, text: string): ReturnType<typeof drive> =>
        drive({ series, operations: [() => ask(holdfast, sessionId, text)], writers: 1 });
      return [await timed("answered", "go on"), await timed("read and answered", readingText)];
    },
  };
}
