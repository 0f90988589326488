import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { LaneEvent } from "../../packages/holdfast/src/kernel/event.ts";
import type { Place } from "../engine/engine.ts";
import { openBarePlace } from "../engine/engines.ts";
import { beChild, takeJob } from "./child-side.ts";

// The minimum for a durable accept over HTTP: a route that writes one row and responds.

export interface BareReady {
  readonly url: string;
}

const bare = await openBarePlace(await takeJob<Place>());
const app = new Hono();
let seq = 0;
app.post("/rows", async (context) => {
  const body: { text: string } = await context.req.json();
  seq += 1;
  await bare.write([rowOf(body.text)]);
  return context.json({ seq }, 202);
});
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  const ready: BareReady = { url: `http://127.0.0.1:${port}` };
  beChild({
    ready,
    stop: async () => {
      server.close();
      await bare.close();
    },
  });
});

/** The event that an accept writes to the log. */
function rowOf(text: string): LaneEvent {
  return {
    type: "prompt.accepted",
    sessionId: `session-${seq % 64}`,
    seq,
    at: Date.now(),
    actor: { kind: "client", id: "bench" },
    version: 1,
    promptId: `prompt-${seq}`,
    contentHash: text.padEnd(64, "0"),
    body: null,
    delivery: "queue",
    binding: null,
    reply: true,
    expiresAt: null,
    maxRunTime: null,
    budget: null,
    parent: null,
    resultOf: null,
  };
}
