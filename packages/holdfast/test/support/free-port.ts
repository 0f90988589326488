import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A socket that asks for any port gets a higher number: on Linux at least 32768, in some sandboxes 16000. So no such
 * socket takes a port of this range before its server listens, or while its server restarts.
 */
const range = { first: 10_000, end: 16_000 };

/** Returns a loopback port on which no server listens. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(range.first, range.end);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      // Another server uses this port.
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
  throw new Error("no port is free");
}
