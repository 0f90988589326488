import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings, Target } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant } from "../measure/alternate.ts";
import { compare } from "../measure/compare.ts";
import { drive } from "../measure/drive.ts";
import { ratesOf } from "../measure/statistics.ts";
import { ask } from "../runner/runtime.ts";
import { longText } from "./model-process.ts";
import { openAgentSetup } from "./agent-setup.ts";
import type { AgentSetup } from "./agent-setup.ts";

const prompt = "go on";

/** Compares the time of a prompt from accept to outcome with the time of a bare model call with the same messages. */
export async function benchOverhead(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const lengths = options.quick ? [1, 5, 20] : [1, 100, 1_000];
  const setup = await openAgentSetup(engine, 8);
  try {
    options.progress(`conversations of ${lengths.join(", ")} prompts`);
    const contestants: Contestant[] = [];
    for (const length of lengths) {
      // The agent's conversation grows by up to 20 % during the measurement, so on average it is 10 % longer than at
      // the start. The bare AI SDK call, to which the agent is compared, gets a conversation of this average length.
      const exchanges = Math.round(length * 1.1);
      contestants.push(timed(names.bare(length), setup.bareCall(exchanges, prompt)));
      contestants.push(await afterPrompts(setup, length));
    }
    contestants.push(timed(names.bareLong, setup.bareCall(1, longText)), await longAnswer(setup));
    options.progress("a prompt beside a bare call, alternately");
    const schedule = options.quick ? { slices: 2, sliceMs: 25 } : { slices: 16, sliceMs: 250 };
    const measured = await alternate(contestants, schedule);
    const references = Object.fromEntries([
      ...lengths.map((length) => [names.agent(length), [names.bare(length)]]),
      [names.agentLong, [names.bareLong]],
    ]);
    const p50 = (name: string): number => {
      const entry = measured.find((candidate) => candidate.name === name);
      return entry === undefined ? Number.NaN : ratesOf(entry).p50Ms;
    };
    const overhead = (length: number): number => p50(names.agent(length)) - p50(names.bare(length));
    const figures = compare(measured, references).map((figure) => {
      const length = lengths.find((candidate) => names.agent(candidate) === figure.name);
      const more = length === undefined ? {} : { overheadMs: overhead(length) };
      const values = { ...figure.values, ...more };
      return { engine: engine.name, group: "a prompt beside a bare call", ...figure, values };
    });
    const [shortest = 0] = lengths;
    const longest = lengths.at(-1) ?? 0;
    const wanted = (name: string, atMost: number, value: number): Target =>
      target({ engine: engine.name, name, bound: { atMost }, value });
    return {
      figures,
      targets: [
        ...lengths.map((length) =>
          wanted(`ms beyond a bare call, ${before(length)}`, 10, overhead(length)),
        ),
        wanted(
          `the same, ${before(longest)} against ${before(shortest)}`,
          1.3,
          overhead(longest) / overhead(shortest),
        ),
        wanted(
          "an answer of 2,000 tokens against the bare call",
          1.5,
          1 / (figures.find(({ name }) => name === names.agentLong)?.ratios[0]?.value ?? 0),
        ),
      ],
    };
  } finally {
    await setup.close();
  }
}

function before(prompts: number): string {
  return `${prompts.toLocaleString("en-US")} before`;
}

const names = {
  bare: (length: number) => `bare call, ${before(length)}`,
  agent: (length: number) => `prompt, ${before(length)}`,
  bareLong: "bare call, 2,000 tokens",
  agentLong: "prompt, 2,000 tokens",
} as const;

function timed(name: string, operation: () => Promise<void>): Contestant {
  return {
    name,
    round: async () => [await drive({ series: "call", operations: [operation], writers: 1 })],
  };
}

async function afterPrompts(setup: AgentSetup, length: number): Promise<Contestant> {
  const build = async (): Promise<{ sessionId: string; prompts: number }> => {
    const sessionId = await setup.newSession({ title: "bench" });
    for (let sent = 0; sent < length; sent += 1) await ask(setup.holdfast, sessionId, prompt);
    return { sessionId, prompts: length };
  };
  let session = await build();
  return {
    name: names.agent(length),
    round: async () => {
      // Each measured prompt makes the conversation longer. Above this length, continue with a new conversation.
      if (session.prompts > length * 1.2 + 2) session = await build();
      const { sessionId } = session;
      session.prompts += 1;
      const operations = [() => ask(setup.holdfast, sessionId, prompt)];
      return [await drive({ series: "call", operations, writers: 1 })];
    },
  };
}

/** Measures a long answer while a client follows it live. */
async function longAnswer(setup: AgentSetup): Promise<Contestant> {
  return {
    name: names.agentLong,
    round: async () => {
      const sessionId = await setup.newSession({ title: "bench" });
      await ask(setup.holdfast, sessionId, prompt);
      const unlisten = setup.holdfast.deltas(sessionId, () => {});
      const operations = [() => ask(setup.holdfast, sessionId, longText)];
      const result = await drive({ series: "call", operations, writers: 1 });
      unlisten();
      return [result];
    },
  };
}
