import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../packages/holdfast/src/compose/serve.ts";
import { ownerTokenFile } from "../../packages/holdfast/src/server/security/owner-token.ts";
import type { Place } from "../engine/engine.ts";
import { beChild, takeJob } from "./child-side.ts";

// The server as people start it, with the demo agent; only limits of requests and streams are lifted.

export interface HoldfastReady {
  readonly url: string;
  readonly token: string;
}

const place = await takeJob<Place>();
const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-bench-server-"));
const { server } = await serve({
  store: place.engine === "sqlite" ? place.file : place.url,
  dataFolder,
  host: "127.0.0.1",
  port: 0,
  model: null,
  publicUrl: null,
  allowedOrigins: [],
  deadline: 0,
  allowPrivateWebhooks: false,
  limits: { tokenRate: null },
  environment: { HOLDFAST_LOG: "error" },
  home: dataFolder,
  onStop: () => {},
});
await server.ready;
const token = readFileSync(ownerTokenFile(dataFolder), "utf8").trim();
const ready: HoldfastReady = { url: server.url, token };
beChild({
  ready,
  stop: async () => {
    await server.stop({ deadline: 0 });
    rmSync(dataFolder, { recursive: true, force: true });
  },
});
