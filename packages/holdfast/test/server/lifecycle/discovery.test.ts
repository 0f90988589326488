import assert from "node:assert/strict";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { announce, findServer, prove, readDiscovery } from "../../../src/server/discovery.ts";
import { listen } from "../../../src/server/listen.ts";
import { SetupError } from "../../../src/server/setup-error.ts";
import type { Served } from "../../../src/server/serve.ts";
import { served, startTiny } from "./tiny-server.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

function scratchFile(t: TestContext): string {
  const folder = scratchFolder(t, "discovery");
  return join(folder, "holdfast.db.server.json");
}

/** An app that can prove which server it is, like the real one. */
async function startFound(
  t: TestContext,
  discoveryFile: string,
): Promise<Awaited<ReturnType<typeof startTiny>>> {
  const server = await startTiny(t, {
    discoveryFile,
    open: ({ lifecycle }): Promise<Served> =>
      Promise.resolve(
        served(({ url }) => {
          const nonce = new URL(url).searchParams.get("nonce") ?? "";
          return Response.json({ proof: lifecycle.prove(nonce) });
        }),
      ),
  });
  await server.ready;
  return server;
}

test("the owner's programs find the server by a file that only the owner can read", async (t) => {
  const file = scratchFile(t);
  const server = await startFound(t, file);
  assert.equal((statSync(file).mode & 0o777).toString(8), "600");
  const { url, pid } = (await findServer(file)) ?? {};
  assert.deepEqual({ url, pid }, { url: server.url, pid: process.pid });
  await server.stop();
  assert.equal(existsSync(file), false);
});

test("a second server on the same store reports the address of the first", async (t) => {
  const file = scratchFile(t);
  const { url } = await startFound(t, file);
  await assert.rejects(startTiny(t, { discoveryFile: file }), (error) => {
    assert.ok(error instanceof SetupError);
    assert.match(error.message, new RegExp(`at ${url} \\(process ${process.pid}\\)`));
    return true;
  });
});

test("a stale or invalid discovery file is ignored", async (t) => {
  const file = scratchFile(t);
  const stale = {
    pid: 1,
    startedAt: 0,
    isBackground: false,
    secret: "s",
    url: "http://127.0.0.1:9",
  };
  await announce(file, stale);
  assert.deepEqual(readDiscovery(file), stale);
  assert.equal(await findServer(file), null);
  const server = await startFound(t, file);
  assert.equal((await findServer(file))?.url, server.url);
  await server.stop();
  writeFileSync(file, "{");
  assert.equal(await findServer(file), null);
});

test("a foreign process on the port of a dead server gets no token, because it cannot prove itself", async (t) => {
  const answers = ['{"proof":null}', JSON.stringify({ proof: prove("guess", "n") }), "{}", "no"];
  const impostor = createServer((_, response) => response.end(answers.shift()));
  const port = await listen(impostor, { host: "127.0.0.1", port: 0 });
  t.after(() => impostor.close());
  const file = scratchFile(t);
  const url = `http://127.0.0.1:${port}`;
  await announce(file, { pid: 1, startedAt: 0, isBackground: false, secret: "s", url });
  const found = [];
  while (answers.length > 0) found.push(await findServer(file));
  assert.deepEqual(found, [null, null, null, null]);
});
