import { serve } from "@hono/node-server";
import { createApp } from "../../packages/holdfast/src/server/app.ts";
import type { Place } from "../engine/engine.ts";
import { openRuntime } from "../runner/runtime.ts";
import { instantAgent } from "../runner/instant-agent.ts";
import { beChild, takeJob } from "../server/child-side.ts";

// One of several nodes on a store: a full server with an agent that answers immediately.

export interface NodeReady {
  readonly url: string;
}

const place = await takeJob<Place>();
const runtime = await openRuntime({ place, agent: instantAgent, maxRuns: 64 });
await runtime.ready;
const app = createApp({ runtime, version: "bench" });
const fetch = (request: Request, env: object): Promise<Response> => app.fetch(request, env);
const server = serve({ fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  const ready: NodeReady = { url: `http://127.0.0.1:${port}` };
  beChild({
    ready,
    stop: async () => {
      server.close();
      await runtime.close();
    },
  });
});
