import type { House } from "../../packages/web/test/support/house.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";

/** A frame that takes longer than this has left out at least one of sixty in a second. */
const longestFrame = 25;

/** An answer of many tokens: how long the page is ever busy, and how many frames it leaves out. */
export async function benchStreaming(house: House, options: BenchmarkOptions): Promise<Findings> {
  const tokens = options.quick ? 100 : 2_000;
  options.progress(`streaming ${tokens} tokens`);
  const session = await house.holdfast.sessions.create({ directory: house.folder });
  const context = await house.browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(await house.link());
  await page.goto(`${house.url}/sessions/${session.sessionId}`);
  await page.locator("#composer").waitFor();
  await page.evaluate(observe);
  await (await session.prompt(`words ${tokens} every 5ms`)).settled();
  await page.locator(".step", { hasText: `word-${tokens}` }).waitFor();
  const { tasks, frames } = await page.evaluate<{ tasks: number[]; frames: number[] }>("seen");
  await context.close();
  const gaps = frames.slice(1).map((at, place) => at - (frames[place] ?? at));
  const dropped = gaps.filter((gap) => gap > longestFrame);
  return {
    figures: [
      {
        engine: "sqlite",
        group: `${tokens.toLocaleString("en-US")} tokens streamed, one each 5 ms`,
        name: "the page",
        values: {
          longestTaskMs: Math.max(0, ...tasks),
          longTasks: tasks.length,
          frames: gaps.length,
          droppedPercent: (dropped.length / Math.max(1, gaps.length)) * 100,
          longestFrameMs: Math.max(0, ...gaps),
        },
        ratios: [],
      },
    ],
    targets: [],
  };
}

/** Long tasks are those that a browser reports: of 50 ms and more. */
const observe = `
  window.seen = { tasks: [], frames: [] };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.tasks.push(entry.duration);
  }).observe({ type: "longtask" });
  const frame = (at) => { seen.frames.push(at); requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
`;
