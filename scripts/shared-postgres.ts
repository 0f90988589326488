import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { PostgresServer } from "../packages/holdfast/test/support/postgres.ts";

/** A PostgreSQL server that all files of a test run share. The first request starts the server. */
export interface SharedPostgres {
  /** HTTP address that returns the port of the database. */
  readonly url: string;
  close(): Promise<void>;
}

export async function sharePostgres(): Promise<SharedPostgres> {
  let starting: Promise<PostgresServer> | null = null;
  const broker = createServer((_request, response) => {
    starting ??= start();
    starting.then(
      ({ port }) => response.end(String(port)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  broker.listen(0, "127.0.0.1");
  await once(broker, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  const { port } = broker.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      broker.close();
      broker.closeAllConnections();
      const server = await starting?.catch(() => null);
      await server?.stop();
    },
  };
}

async function start(): Promise<PostgresServer> {
  const { startPostgres } = await import("../packages/holdfast/test/support/postgres.ts");
  return startPostgres();
}
