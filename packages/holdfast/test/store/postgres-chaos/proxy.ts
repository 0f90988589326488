import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface Proxy {
  readonly port: number;
  /** Breaks every connection now. */
  cutAll(): void;
  /** Passes nothing more on the present connections, not even their end, as a network that drops packets does. */
  silenceAll(): void;
  /**
   * From now on, the share of commits whose connection breaks after the commit was sent on: most when
   * the server's answer arrives, which is thrown away, the others at once.
   */
  cutCommits(share: number): void;
  /** Number of commits whose connection was cut so far. */
  readonly cuts: () => number;
  close(): Promise<void>;
}

/** A proxy between a process and its database that breaks connections at critical moments. */
export async function startProxy(
  target: number,
  random: () => number = Math.random,
): Promise<Proxy> {
  const pairs = new Set<{ client: Socket; server: Socket; isSilent: boolean }>();
  let share = 0;
  let cuts = 0;

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect(target, "127.0.0.1");
    const pair = { client, server, isSilent: false };
    let isCut = false;
    let isInTransaction = false;
    pairs.add(pair);
    const cut = (): void => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      socket.on("error", cut);
      socket.on("close", cut);
    }
    client.on("end", () => {
      if (!pair.isSilent) client.end();
    });
    client.on("data", (data) => {
      if (pair.isSilent) return;
      server.write(data);
      if (data.includes("BEGIN")) isInTransaction = true;
      // A statement that writes a lane is a commit by itself, unless it is part of a transaction.
      const isCommit = data.includes(isInTransaction ? "COMMIT" : "write-lane");
      if (data.includes("COMMIT") || data.includes("ROLLBACK")) isInTransaction = false;
      if (isCut || !isCommit || random() >= share) return;
      isCut = true;
      cuts += 1;
      // The server may or may not have executed the commit when it notices that the connection is closed.
      if (random() < 0.2) server.end(() => cut());
    });
    server.on("data", (data) => {
      if (pair.isSilent) return;
      if (isCut) cut();
      else client.write(data);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
  const { port } = proxy.address() as AddressInfo;
  const cutAll = (): void => {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
  };
  return {
    port,
    cutAll,
    silenceAll() {
      for (const pair of pairs) pair.isSilent = true;
    },
    cutCommits(next) {
      share = next;
    },
    cuts: () => cuts,
    async close() {
      proxy.close();
      cutAll();
      await once(proxy, "close");
    },
  };
}
