import { serve } from "@hono/node-server";
import { createRuntime } from "../../packages/holdfast/src/runtime/runtime.ts";
import { createApp } from "../../packages/holdfast/src/server/app.ts";
import { createEventStreams } from "../../packages/holdfast/src/server/stream/event-streams.ts";
import { startFollower } from "../../packages/holdfast/src/server/stream/follower.ts";
import { createStreams } from "../../packages/holdfast/src/server/stream/streams.ts";
import { wireEvent } from "../../packages/holdfast/src/server/wire/event.ts";
import type { Place } from "../engine/engine.ts";
import { openPlace } from "../engine/engines.ts";
import { beChild, takeJob } from "./child-side.ts";
import { streamingAgent } from "./streaming-agent.ts";

// A process with a complete Holdfast server and a test agent that produces events as fast as it can.

export interface FanOutJob {
  readonly place: Place;
  readonly steps: number;
}

export interface FanOutReady {
  /** Address of the event stream. */
  readonly url: string;
}

const { place, steps } = await takeJob<FanOutJob>();
const onError = (error: unknown): void => console.error(error);
const store = await openPlace(place);
const runtime = await createRuntime({ store, agent: streamingAgent, maxSteps: 10_000, onError });
const follower = await startFollower({ runtime, onError });
const encode = (event: Parameters<typeof wireEvent>[1]): ReturnType<typeof wireEvent> =>
  wireEvent(store, event);
const streams = createStreams({ runtime, follower, encode, onError });
const app = createApp({ runtime, version: "bench", streams: createEventStreams(streams) });
const sessionId = "main";
await runtime.createSession({ sessionId, directory: "/projects/bench", title: "bench" });
const fetch = (request: Request, env: object): Promise<Response> => app.fetch(request, env);
const server = serve({ fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  const url = `http://127.0.0.1:${port}/v1/sessions/${sessionId}/events?after=now`;
  const ready: FanOutReady = { url };
  beChild({
    ready,
    answers: {
      subscribers: () => streams.count().session,
      /** Streams one run and returns the number of its events. */
      stream: async () => {
        const before = (await store.lane(sessionId))?.seq ?? 0;
        const { promptId } = await runtime.prompt({ sessionId, text: String(steps) });
        await runtime.wait({ sessionId, promptId });
        const after = (await store.lane(sessionId))?.seq ?? 0;
        return after - before;
      },
    },
    stop: async () => {
      await streams.drain();
      await follower.close();
      server.close();
      await runtime.close();
      await store.close();
    },
  });
});
