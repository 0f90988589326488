import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { freePort } from "../../support/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";
import { takeOwnerLock } from "../../../src/store/sqlite/owner-lock.ts";
import { openCli } from "../../cli/test-cli.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { served, startTiny } from "./tiny-server.ts";

test("a server removes its discovery file before its port is free", async (t) => {
  const discoveryFile = join(scratchFolder(t, "handover"), "holdfast.db.server.json");
  const seen: boolean[] = [];
  const look = (): Promise<void> => Promise.resolve(void seen.push(existsSync(discoveryFile)));
  const server = await startTiny(t, {
    discoveryFile,
    open: () => Promise.resolve({ ...served(), drain: look, close: look }),
  });
  await server.ready;
  await server.stop();
  assert.deepEqual(seen, [true, false]);
});

test("a server waits for a process that is about to release the store", async (t) => {
  const cli = openCli(t);
  mkdirSync(dirname(cli.store), { recursive: true });
  const lock = takeOwnerLock(cli.store);
  const port = await freePort();
  const serving = cli.start("serve", "--port", String(port));
  // The server listens before it opens the store.
  await waitFor(() => isThere(`http://127.0.0.1:${port}/healthz`), {
    describe: "a server that listens",
  });
  lock.release();
  await serving.printed("listening at");
});

async function isThere(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
