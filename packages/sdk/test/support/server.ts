import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../../holdfast/src/compose/serve.ts";
import { freePort } from "../../../holdfast/test/support/free-port.ts";
import { serverSettings } from "../../../holdfast/test/support/server-settings.ts";

/** A real server with the demo agent, its own port and its own store. */
export interface TestServer {
  readonly url: string;
  readonly token: string;
  /** A project directory. */
  readonly directory: string;
  /** Stops the server and starts it again with the same store and port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-sdk-server-"));
  const start = async (port: number) => {
    const { server } = await serve({ ...serverSettings(join(folder, "data")), port });
    await server.ready;
    return server;
  };
  let server = await start(await freePort());
  const { url, port } = server;
  return {
    url,
    token: (await readFile(join(folder, "data", "token"), "utf8")).trim(),
    directory: folder,
    restart: async () => {
      await server.stop();
      server = await start(port);
    },
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}
