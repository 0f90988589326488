import { serve } from "@hono/node-server";
import { createApp } from "../../packages/holdfast/src/server/app.ts";
import type { Store } from "../../packages/holdfast/src/store/store.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { instantAgent } from "../runner/instant-agent.ts";
import { openRuntime } from "../runner/runtime.ts";
import { createHttpClient } from "../server/http-client.ts";
import { hold, promptRequest, send } from "../store/lane-commands.ts";
import { fillLog, fillSessions } from "./fill.ts";
import { latencyFigures, latencyTargets, measure } from "./latency.ts";

/** Events in the log of a session with unfinished work. */
const events = 30;

/**
 * Measures the requests of the health page and of the server's timeline, in a store with many sessions. The timeline
 * returns the events of all sessions with unfinished work, so some sessions are paused and have a queued prompt.
 */
export async function benchActivity(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const [sessions, unfinished] = options.quick ? [100, 10] : [10_000, 400];
  const group = `activity of ${sessions.toLocaleString("en-US")} sessions, ${unfinished} unfinished`;
  options.progress(`a store for the ${group}`);
  const place = await engine.newPlace();
  const filling = await openPlace(place);
  const known = await fillSessions(filling, sessions);
  await Promise.all(
    known.slice(0, unfinished).map(({ sessionId }) => leaveUnfinished(filling, sessionId)),
  );
  if (engine.name === "postgres") await filling.compact();
  await filling.close();
  const runtime = await openRuntime({ place, agent: instantAgent, maxRuns: 1 });
  const app = createApp({ runtime, version: "bench" });
  const fetch = (request: Request, env: object): Promise<Response> => app.fetch(request, env);
  const listening = Promise.withResolvers<number>();
  const server = serve({ fetch, hostname: "127.0.0.1", port: 0 }, (address) =>
    listening.resolve(address.port),
  );
  const port = await listening.promise;
  const client = createHttpClient(`http://127.0.0.1:${port}`, null);
  const get = async (path: string): Promise<void> => {
    const { status, text } = await client.send("GET", path);
    if (status !== 200) throw new Error(`${path} failed with status ${status}: ${text}`);
  };
  try {
    options.progress("requests");
    const advance = await measure("read the log in advance", 1, () => runtime.readActivity(60_000));
    const first = await measure("first summary", 1, () => get("/v1/activity?reach=86400000"));
    const rounds = options.quick ? 5 : 50;
    const bare = await measure("request without a store", rounds, () => get("/healthz"));
    const rest = [
      await measure("summary", rounds, () => get("/v1/activity?reach=86400000")),
      await measure("server timeline", rounds, () => get("/v1/timeline")),
    ];
    const figures = latencyFigures([bare, advance, first, ...rest], { engine: engine.name, group });
    return { figures, targets: latencyTargets(figures.slice(2)) };
  } finally {
    client.close();
    server.close();
    await runtime.close();
  }
}

async function leaveUnfinished(store: Store, sessionId: string): Promise<void> {
  await fillLog(store, { sessionId, events });
  await hold(store, sessionId);
  await send(store, promptRequest(sessionId));
}
