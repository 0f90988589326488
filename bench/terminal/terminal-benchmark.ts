import { execFileSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startModelServer } from "../../gauntlet/model-server/model-server.ts";
import type { Reply } from "../../gauntlet/model-server/script.ts";
import { openStory } from "../../packages/terminal/test/support/story.ts";
import type { Story } from "../../packages/terminal/test/support/story.ts";
import { ensurePackage } from "../../scripts/build/ensure-package.ts";
import { target } from "../benchmark.ts";
import type { Benchmark, BenchmarkOptions, Figure, Findings, Target } from "../benchmark.ts";
import { median } from "../measure/statistics.ts";
import { holdfastProgram, otherPrograms } from "./programs.ts";
import type { Program } from "./programs.ts";
import { endProcessesOf, preciseTimeOf, useOf } from "./tui-process.ts";

export const terminalBenchmark: Benchmark = {
  name: "terminal",
  summary:
    "the terminal client beside a bare Node, cat, opencode and Codex; downloads both from npm",
  run: async (options) => {
    const cleanup: (() => Promise<void>)[] = [];
    const size = options.quick ? { starts: 2, tokens: 200, lines: 500 } : fullSize;
    const model = await startModelServer(({ messages }) => {
      const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
      return text.includes("lines") ? linesOf(size.lines) : wordsOf(size.tokens);
    });
    cleanup.unshift(() => model.close());
    try {
      const story = await openStory(
        { after: (work) => cleanup.unshift(work) },
        {
          HOLDFAST_BASE_URL: model.addresses.openaiChat,
          HOLDFAST_API_KEY: "key",
          HOLDFAST_MODEL: "local/test",
        },
      );
      // Codex leaves a server process behind. End such processes before the folder is removed.
      cleanup.unshift(async () => endProcessesOf(story.folder));
      options.progress("building the package");
      const own = holdfastProgram(await ensurePackage(join(import.meta.dirname, "../..")));
      const others = await otherPrograms(story, model, options.progress);
      return await measure({ ...options, story, size, programs: [own, ...others] });
    } finally {
      for (const work of cleanup) await work();
    }
  },
};

const fullSize = { starts: 9, tokens: 2_000, lines: 5_000 };

interface Measuring extends BenchmarkOptions {
  readonly story: Story;
  readonly size: typeof fullSize;
  readonly programs: readonly Program[];
}

/** Milliseconds between two tokens of the model. */
const pace = 5;

function wordsOf(count: number): Reply {
  const parts = Array.from({ length: count }, (_, at) => [
    { text: `word-${at + 1} ` },
    { wait: delay((at + 1) * pace) },
  ]);
  return { parts: [...parts.flat(), { text: "and-the-end" }] };
}

function linesOf(count: number): Reply {
  const lines = Array.from({ length: count }, (_, at) => `This is line ${at + 1} of the answer.`);
  return { parts: [{ text: `${lines.join("\n\n")}\n\nlines-are-over` }] };
}

async function measure(options: Measuring): Promise<Findings> {
  const { story, size, programs, progress } = options;
  const figures: Figure[] = [];
  progress("time to a usable prompt, alternately");
  const starts = new Map<string, number[]>();
  const note = (name: string, time: number): void =>
    void starts.set(name, [...(starts.get(name) ?? []), time]);
  // The first start of a program prepares its data folder and is not counted.
  for (let round = 0; round <= size.starts; round += 1) {
    const bare = await timeBareNode(story);
    if (round > 0) note("bare Node", bare);
    for (const program of programs) {
      const time = await timeStart(story, program);
      if (round > 0) note(program.name, time);
    }
  }
  const start = new Map([...starts].map(([name, times]) => [name, median(times)]));
  for (const [name, p50Ms] of start) figures.push(figure("start", name, { p50Ms }));
  progress(`${size.tokens} tokens, and ${size.lines} lines of history`);
  const uses = new Map<string, Streamed>();
  for (const program of programs) uses.set(program.name, await stream(options, program));
  for (const [name, used] of uses) figures.push(figure("use", name, { ...used }));
  figures.push(figure("use", "cat", await streamCat(story, size.tokens)));
  return { figures, targets: targetsOf(programs, { start, uses }) };
}

function figure(group: string, name: string, values: Record<string, number>): Figure {
  return { engine: "sqlite", group: `terminal: ${group}`, name, values, ratios: [] };
}

async function timeBareNode(story: Story): Promise<number> {
  const begun = performance.now();
  const terminal = story.open({ shell: `'${process.execPath}' -e 0` });
  await terminal.ended;
  return performance.now() - begun;
}

async function timeStart(story: Story, { options, ready }: Program): Promise<number> {
  const begun = performance.now();
  const terminal = story.open(options);
  await terminal.contains(ready);
  const time = performance.now() - begun;
  await terminal.close();
  return time;
}

interface Streamed extends Record<string, number> {
  readonly cpuMs: number;
  readonly bytesPerToken: number;
  readonly memoryMb: number;
}

/** Measures the processor time of a program while it shows an answer, and its memory after a long answer. */
async function stream({ story, size, progress }: Measuring, program: Program): Promise<Streamed> {
  progress(program.name);
  const terminal = story.open(program.options);
  await terminal.contains(program.ready);
  const ask = async (text: string): Promise<void> => {
    terminal.type(text);
    await terminal.shows(text);
    // Wait, because Codex treats an Enter that follows other keys immediately as part of pasted text.
    await delay(500);
    terminal.type("\r");
  };
  await ask("tokens please");
  const before = { cpu: useOf(terminal.pid).cpu, bytes: terminal.raw().length };
  await terminal.shows("and-the-end");
  const cpuMs = useOf(terminal.pid).cpu - before.cpu;
  const bytes = terminal.raw().length - before.bytes;
  await ask("lines please");
  await terminal.shows("lines-are-over");
  const { memory: memoryMb } = useOf(terminal.pid);
  await terminal.close();
  return { cpuMs, bytesPerToken: bytes / size.tokens, memoryMb };
}

/** Measures `cat` while it prints the same tokens at the same pace from a pipe. */
async function streamCat(story: Story, tokens: number): Promise<Record<string, number>> {
  const pipe = join(story.folder, "words");
  execFileSync("mkfifo", [pipe]);
  const terminal = story.open({ shell: `exec cat '${pipe}'` });
  const words = createWriteStream(pipe);
  for (let at = 1; at <= tokens; at += 1) {
    words.write(`word-${at} `);
    await delay(pace);
  }
  const last = "and-the-end";
  words.write(last);
  await terminal.shows(last);
  const bytes = terminal.raw().length - last.length;
  const cpuMs = preciseTimeOf(terminal.pid);
  words.end();
  await terminal.ended;
  return { cpuMs, bytesPerToken: bytes / tokens };
}

function targetsOf(
  programs: readonly Program[],
  found: { start: ReadonlyMap<string, number>; uses: ReadonlyMap<string, Streamed> },
): Target[] {
  const { start, uses } = found;
  const [own, peer] = programs.map(({ name }) => name);
  const startOf = (name = ""): number => start.get(name) ?? Number.NaN;
  const useOfProgram = (name = ""): Streamed | undefined => uses.get(name);
  const ratio = (key: keyof Streamed): number =>
    (useOfProgram(own)?.[key] ?? Number.NaN) / (useOfProgram(peer)?.[key] ?? Number.NaN);
  const half = { atMost: 0.5 };
  const beyond = startOf(own) - startOf("bare Node");
  const rows: readonly (readonly [name: string, value: number, bound: Target["bound"]])[] = [
    ["milliseconds beyond a bare Node", beyond, { atMost: 250 }],
    [`start against ${peer}`, startOf(own) / startOf(peer), half],
    [`processor time against ${peer}`, ratio("cpuMs"), half],
    [`memory against ${peer}`, ratio("memoryMb"), half],
  ];
  return rows.map(([name, value, bound]) => target({ engine: "sqlite", name, bound, value }));
}
