import { join } from "node:path";
import type { ServerSettings } from "../../src/compose/serve.ts";

/** A server with the demo agent on any free port, for this machine alone, that keeps all in one folder. */
export function serverSettings(folder: string): ServerSettings {
  return {
    store: join(folder, "holdfast.db"),
    dataFolder: folder,
    host: "127.0.0.1",
    port: 0,
    model: null,
    publicUrl: null,
    allowedOrigins: [],
    deadline: 0,
    allowPrivateWebhooks: false,
    environment: { HOLDFAST_LOG: "silent" },
    home: folder,
    onStop: () => {},
  };
}
