import type { SessionHandle } from "@holdfast/sdk";
import type { BrowserContext } from "playwright-core";
import { openUserPage } from "../../packages/web/test/support/user-page.ts";
import type { WebServer } from "../../packages/web/test/support/web-server.ts";
import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant, Measured, Timed } from "../measure/alternate.ts";
import { costRatio, ratesOf } from "../measure/statistics.ts";

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

const stepsOfRun = 9;

/**
 * Measures three durations, each from the start of the navigation: until the first paint, until the last message is
 * shown, and until a typed character is painted.
 */
export async function benchOpening(
  server: WebServer,
  options: BenchmarkOptions,
): Promise<Findings> {
  const long = options.quick ? 200 : 10_000;
  const names = { short: "10 messages", long: `${long.toLocaleString("en-US")} messages` };
  options.progress(`filling sessions with 10 and ${long} messages`);
  const sessions = [
    { name: names.short, session: await fill(server, 10) },
    { name: names.long, session: await fill(server, long) },
  ];
  options.progress("opening them in turn, each time in a new browser");
  const signedIn = await openUserPage(server.browser, await server.link());
  const storageState = await signedIn.page.context().storageState();
  const contestants = sessions.map(({ name, session }): Contestant => {
    const url = `${server.url}/sessions/${session.sessionId}`;
    return { name, round: () => openOnce(server, { url, storageState }) };
  });
  const measured = await alternate(contestants, { slices: options.quick ? 1 : 15, sliceMs: 1 });
  await signedIn.close();
  const engine = "sqlite";
  const of = (series: string, name: string): Measured => {
    const found = measured.find((each) => each.series === series && each.name === name);
    if (found === undefined) throw new Error(`no measurement for ${series}, ${name}`);
    return found;
  };
  const seriesNames = ["first paint", "last message", "first key"] as const;
  return {
    figures: seriesNames.flatMap((series) =>
      [names.short, names.long].map((name) => ({
        engine,
        group: "opening a session in a new browser",
        name: `${series}, ${name}`,
        values: { p50Ms: ratesOf(of(series, name)).p50Ms },
        ratios:
          name === names.short
            ? []
            : [
                {
                  to: `${series}, ${names.short}`,
                  value: costRatio(of(series, name), of(series, names.short)),
                },
              ],
      })),
    ),
    targets: seriesNames.map((series) =>
      target({
        engine,
        name: `${series}, ${names.long} beside ${names.short}`,
        bound: { atMost: 2 },
        value: costRatio(of(series, names.long), of(series, names.short)),
      }),
    ),
  };
}

/** Creates a session with prompts that have several answers each. Prompts and answers both count as messages. */
async function fill(server: WebServer, messages: number): Promise<SessionHandle> {
  const session = await server.holdfast.sessions.create({ directory: server.folder });
  for (let count = 0; count < messages; count += stepsOfRun + 1) {
    await (await session.prompt(`steps ${stepsOfRun}`)).settled();
  }
  return session;
}

/**
 * Records two times in the browser: `shown`, when the last answer and the composer are painted, and `typed`, when the
 * first typed character is painted.
 */
const watch = `
  window.shown = new Promise((resolve) => {
    const look = () => {
      const answers = document.querySelectorAll(".step");
      const isThere = answers.length > 0 && document.querySelector("#composer") !== null;
      requestAnimationFrame(isThere ? () => resolve(performance.now()) : look);
    };
    look();
  });
  window.typed = new Promise((resolve) => {
    addEventListener("input", () => requestAnimationFrame(() =>
      setTimeout(() => resolve(performance.now()))), { once: true });
  });
`;

async function openOnce(
  server: WebServer,
  { url, storageState }: { url: string; storageState: StorageState },
): Promise<readonly Timed[]> {
  const context = await server.browser.newContext({
    storageState,
    viewport: { width: 1280, height: 800 },
  });
  try {
    const page = await context.newPage();
    await page.addInitScript(watch);
    await page.goto(url, { waitUntil: "commit" });
    const shown = await page.evaluate<number>("window.shown");
    await page.locator("#composer").focus();
    const before = await page.evaluate<number>("performance.now()");
    await page.keyboard.press("a");
    const typed = await page.evaluate<number>("window.typed");
    const painted = await page.evaluate<number>(
      `performance.getEntriesByName("first-contentful-paint")[0].startTime`,
    );
    return [
      timed("first paint", painted),
      timed("last message", shown),
      timed("first key", shown + typed - before),
    ];
  } finally {
    await context.close();
  }
}

function timed(series: string, elapsed: number): Timed {
  return { series, elapsed, cpu: 0, latencies: [elapsed] };
}
