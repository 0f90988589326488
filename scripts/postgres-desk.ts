import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { PostgresServer } from "../packages/holdfast/test/support/postgres.ts";

/** Where the files of a test run ask for a PostgreSQL that they share; the first who does starts it. */
export interface PostgresDesk {
  readonly url: string;
  close(): Promise<void>;
}

export async function openPostgresDesk(): Promise<PostgresDesk> {
  let starting: Promise<PostgresServer> | null = null;
  const desk = createServer((_request, response) => {
    starting ??= start();
    starting.then(
      ({ port }) => response.end(String(port)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  desk.listen(0, "127.0.0.1");
  await once(desk, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  const { port } = desk.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      desk.close();
      desk.closeAllConnections();
      const server = await starting?.catch(() => null);
      await server?.stop();
    },
  };
}

async function start(): Promise<PostgresServer> {
  const { startPostgres } = await import("../packages/holdfast/test/support/postgres.ts");
  return startPostgres();
}
