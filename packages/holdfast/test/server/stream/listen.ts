import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { TestContext } from "node:test";

/** Starts an HTTP server on this machine until the test ends; returns its port. */
export async function listen(context: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  return address.port;
}
