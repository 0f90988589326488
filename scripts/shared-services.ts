import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A PostgreSQL server and a browser that all files of a test run share. The first request starts each of them. */
export interface SharedServices {
  /** HTTP address that returns the port of the database. */
  readonly postgres: string;
  /** HTTP address that returns the WebSocket address of the browser. */
  readonly browser: string;
  close(): Promise<void>;
}

interface Service {
  /** What test files need to connect. */
  readonly address: string;
  stop(): Promise<void>;
}

export async function shareServices(): Promise<SharedServices> {
  const starts = new Map([
    ["/postgres", startPostgres],
    ["/browser", startBrowser],
  ]);
  const started = new Map<string, Promise<Service>>();
  const broker = createServer((request, response) => {
    const path = request.url ?? "";
    const start = starts.get(path);
    if (start === undefined) {
      response.writeHead(404).end();
      return;
    }
    const service = started.get(path) ?? start();
    started.set(path, service);
    service.then(
      ({ address }) => response.end(address),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  broker.listen(0, "127.0.0.1");
  await once(broker, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  const { port } = broker.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    postgres: `${url}/postgres`,
    browser: `${url}/browser`,
    close: async () => {
      broker.close();
      broker.closeAllConnections();
      for (const starting of started.values()) {
        const service = await starting.catch(() => null);
        await service?.stop();
      }
    },
  };
}

async function startPostgres(): Promise<Service> {
  const support = await import("../packages/holdfast/test/support/postgres.ts");
  const server = await support.startPostgres();
  return { address: String(server.port), stop: () => server.stop() };
}

async function startBrowser(): Promise<Service> {
  const support = await import("../packages/web/test/support/browser.ts");
  const server = await support.launchBrowserServer();
  return { address: server.wsEndpoint(), stop: () => server.close() };
}
