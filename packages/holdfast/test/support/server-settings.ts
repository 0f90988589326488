import { join } from "node:path";
import type { ServerSettings } from "../../src/compose/serve.ts";

/** Settings of a server with the demo agent on a free loopback port, with all data in one folder. */
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
