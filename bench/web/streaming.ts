import { openUserPage } from "../../packages/web/test/support/user-page.ts";
import type { WebServer } from "../../packages/web/test/support/web-server.ts";
import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";

/** If a frame takes longer than this (in milliseconds), at least one frame was dropped at 60 Hz. */
const longestFrame = 25;

/** CPU slowdown factors of the browser. */
const machines = [
  { name: "the page", slower: 1 },
  { name: "on a machine four times slower", slower: 4 },
];

/** Measures how long the page is blocked and how many frames it drops during a long answer. */
export async function benchStreaming(
  server: WebServer,
  options: BenchmarkOptions,
): Promise<Findings> {
  const tokens = options.quick ? 100 : 2_000;
  const group = `${tokens.toLocaleString("en-US")} tokens streamed, one each 5 ms`;
  const found: Seen[] = [];
  for (const { name, slower } of machines) {
    options.progress(`streaming ${tokens} tokens: ${name}`);
    found.push(await stream(server, { tokens, slower }));
  }
  const [usual] = found;
  const engine = "sqlite";
  return {
    figures: machines.map(({ name }, place) => ({
      engine,
      group,
      name,
      values: { ...found[place] },
      ratios: [],
    })),
    targets: [
      target({
        engine,
        name: "longest task in ms while tokens stream",
        bound: { atMost: 50 },
        value: usual?.longestTaskMs ?? 0,
      }),
      target({
        engine,
        name: "percent of frames left out while tokens stream",
        bound: { atMost: 3 },
        value: usual?.droppedPercent ?? 0,
      }),
    ],
  };
}

interface Seen {
  readonly longestTaskMs: number;
  readonly longTasks: number;
  readonly frames: number;
  readonly droppedPercent: number;
  readonly longestFrameMs: number;
}

async function stream(
  server: WebServer,
  { tokens, slower }: { tokens: number; slower: number },
): Promise<Seen> {
  const session = await server.holdfast.sessions.create({ directory: server.folder });
  const { page, close } = await openUserPage(server.browser, await server.link(), {
    viewport: { width: 1280, height: 800 },
    reducedMotion: "no-preference",
  });
  await page.goto(`${server.url}/sessions/${session.sessionId}`);
  await page.locator("#composer").waitFor();
  const tools = await page.context().newCDPSession(page);
  await tools.send("Emulation.setCPUThrottlingRate", { rate: slower });
  await page.evaluate(observe);
  await (await session.prompt(`words ${tokens} every 5ms`)).settled();
  await page.locator(".step", { hasText: `word-${tokens}` }).waitFor();
  const { tasks, frames } = await page.evaluate<{ tasks: number[]; frames: number[] }>("seen");
  await close();
  const gaps = frames.slice(1).map((at, place) => at - (frames[place] ?? at));
  const dropped = gaps.filter((gap) => gap > longestFrame);
  return {
    longestTaskMs: Math.max(0, ...tasks),
    longTasks: tasks.length,
    frames: gaps.length,
    droppedPercent: (dropped.length / Math.max(1, gaps.length)) * 100,
    longestFrameMs: Math.max(0, ...gaps),
  };
}

/** Starts measuring when the page is loaded and idle. The browser reports tasks of 50 ms and more as long tasks. */
const observe = `new Promise((resolve) => requestIdleCallback(() => {
  window.seen = { tasks: [], frames: [] };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
  }).observe({ type: "longtask" });
  const frame = (at) => { seen.frames.push(at); requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  resolve();
}))`;
