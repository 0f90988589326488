import { createServer, connect } from "node:net";
import type { Socket } from "node:net";

export interface CuttingProxy {
  readonly url: string;
  /** Number of connections cut so far. */
  readonly cuts: number;
  close(): Promise<void>;
}

/**
 * Forwards connections to a server and cuts each one after a number of response bytes. After `cuts`
 * cuts it only forwards.
 */
export async function cuttingProxy(
  target: string,
  options: { cuts: number; bytes: () => number },
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    let left = cuts < options.cuts ? options.bytes() : Infinity;
    const destroy = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", destroy);
      socket.on("close", () => {
        sockets.delete(socket);
        destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      if (bytes.length < left) {
        left -= bytes.length;
        client.write(bytes);
        return;
      }
      if (cuts < options.cuts) cuts += 1;
      // The allowed bytes arrive; the rest never does.
      client.write(bytes.subarray(0, left), destroy);
      upstream.removeAllListeners("data");
      left = 0;
    });
  });
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    get cuts() {
      return cuts;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => {
        server.close(done);
      });
    },
  };
}
