import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveMemoryBackAtRest } from "../../packages/holdfast/src/compose/memory-at-rest.ts";
import { serve } from "../../packages/holdfast/src/compose/serve.ts";
import { ownerTokenFile } from "../../packages/holdfast/src/server/security/owner-token.ts";
import { serverSettings } from "../../packages/holdfast/test/support/server-settings.ts";
import type { Place } from "../engine/engine.ts";
import { beChild, takeJob } from "./child-side.ts";

// An ordinary server with the demo agent. Only the limits of requests and streams are lifted.

export interface HoldfastReady {
  readonly url: string;
  readonly token: string;
}

const place = await takeJob<Place>();
const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-bench-server-"));
const { server } = await serve({
  ...serverSettings(dataFolder),
  store: place.engine === "sqlite" ? place.file : place.url,
  limits: { tokenRate: null },
  environment: { HOLDFAST_LOG: "error" },
});
await server.ready;
giveMemoryBackAtRest();
const token = readFileSync(ownerTokenFile(dataFolder), "utf8").trim();
const ready: HoldfastReady = { url: server.url, token };
beChild({
  ready,
  stop: async () => {
    await server.stop({ deadline: 0 });
    rmSync(dataFolder, { recursive: true, force: true });
  },
});
