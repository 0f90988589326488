import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { watchConnection } from "../../src/cli/connection.ts";
import type { ConnectionChange } from "../../src/cli/connection.ts";
import { sendToFound } from "../../src/compose/found-server.ts";
import { announce, prove, withdraw } from "../../src/server/discovery.ts";
import type { Discovery } from "../../src/server/discovery.ts";
import { listen } from "../../src/server/listen.ts";
import { openCli } from "./test-cli.ts";
import { startForeign } from "./foreign-server.ts";
import { freePort } from "../support/free-port.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

/** A server of the store, as far as discovery is concerned. Accepts the given tokens. */
interface OwnServer {
  readonly discovery: Discovery;
  readonly port: number;
  readonly asked: readonly string[];
  end(): Promise<void>;
}

interface Place {
  readonly file: string;
  start(options?: {
    pid?: number;
    token?: string;
    /** Answers requests with a valid token. */
    answer?: () => Promise<object>;
  }): Promise<OwnServer>;
}

function scratchFile(t: TestContext): string {
  const folder = scratchFolder(t, "found");
  return join(folder, "holdfast.db.server.json");
}

function openPlace(t: TestContext, file = scratchFile(t)): Place {
  let count = 0;
  const start: Place["start"] = async (options = {}) => {
    const { pid = process.pid, token = "ours", answer = async () => ({}) } = options;
    count += 1;
    const secret = `secret ${count}`;
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
      const { authorization = "-" } = request.headers;
      if (pathname === "/healthz") {
        response.end(JSON.stringify({ proof: prove(secret, searchParams.get("nonce") ?? "") }));
        return;
      }
      asked.push([request.method, pathname, authorization].join(" "));
      if (pathname === "/stream") {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\n\n");
        return;
      }
      const isKnown = authorization === `Bearer ${token}`;
      const reply = async (): Promise<void> => {
        const content = isKnown ? await answer() : {};
        response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(content));
      };
      void reply();
    });
    const port = await listen(server, { host: "127.0.0.1", port: await freePort() });
    const url = `http://127.0.0.1:${port}`;
    const discovery = { url, pid, startedAt: 0, isBackground: false, secret };
    await announce(file, discovery);
    const end = async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    };
    t.after(end);
    return { discovery, port, asked, end };
  };
  return { file, start };
}

function sender(
  { file }: Place,
  { discovery }: OwnServer,
  options: Partial<Parameters<typeof sendToFound>[0]> = {},
): (path: string) => Promise<number> {
  const usual = { isFollowed: true, tokenOf: () => "ours", send: fetch };
  const send = sendToFound({ file, server: discovery, ...usual, ...options });
  return async (path) => (await send(new Request(`${discovery.url}${path}`))).status;
}

test("while a crashed server is started again, requests report that it is gone", async (t) => {
  const place = openPlace(t);
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  const gone = { url: "http://127.0.0.1:1", pid: child.pid ?? 0, startedAt: 0, secret: "gone" };
  const server = { ...gone, isBackground: true };
  await announce(place.file, server);
  const starts = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const send = sendToFound({
    file: place.file,
    server,
    tokenOf: () => "ours",
    isFollowed: true,
    restart: () => starts[count++]?.promise ?? Promise.resolve(),
    send: fetch,
  });
  const ask = async (): Promise<number> => (await send(new Request(`${gone.url}/any`))).status;
  assert.deepEqual([await ask(), await ask(), count], [503, 503, 1]);
  starts[0]?.reject(new Error("the disk is full"));
  await waitFor(async () => ask().catch((error: unknown) => String(error)), {
    describe: "the error of the start",
    until: (found) => found === "Error: the disk is full",
  });
  assert.deepEqual([await ask(), count], [503, 2]);
  await place.start();
  starts[1]?.resolve();
  assert.equal(await ask(), 200);
});

test("a server that was stopped is not started again, and clients learn that it has ended", async (t) => {
  const place = openPlace(t);
  const first = await place.start();
  let starts = 0;
  const restart = async (): Promise<void> => {
    starts += 1;
  };
  const changes: (ConnectionChange | "ended")[] = [];
  const watch = watchConnection({
    patience: 1_000,
    onChange: (change) => changes.push(change),
    onEnded: () => changes.push("ended"),
  });
  const usual = { isFollowed: true, tokenOf: () => "ours", send: fetch };
  const send = watch(sendToFound({ file: place.file, server: first.discovery, ...usual, restart }));
  const ask = async (): Promise<number> => {
    const request = new Request(`${first.discovery.url}/any`);
    return send(request).then(
      ({ status }) => status,
      () => 0,
    );
  };
  assert.equal(await ask(), 200);
  // The port is closed, and the process still exists.
  await first.end();
  assert.deepEqual([await ask(), await ask()], [0, 503]);
  withdraw(place.file, process.pid);
  assert.deepEqual([await ask(), await ask()], [503, 503]);
  await place.start();
  assert.deepEqual([await ask(), starts], [200, 0]);
  assert.deepEqual(changes, [
    { isAway: true, words: "the server is unreachable; waiting up to 1 s" },
    "ended",
    "ended",
    { isAway: false, words: "the server is back" },
  ]);
});

test("a foreign process on the port of an ended server gets nothing, and the next server is found", async (t) => {
  const place = openPlace(t);
  const first = await place.start();
  const ask = sender(place, first);
  assert.equal(await ask("/one"), 200);
  await first.end();
  withdraw(place.file, process.pid);
  const foreign = await startForeign(t, first.port);
  assert.equal(await ask("/two"), 503);
  const second = await place.start();
  assert.equal(await ask("/three"), 200);
  assert.deepEqual(
    [first.asked, second.asked, foreign.asked],
    [["GET /one Bearer ours"], ["GET /three Bearer ours"], []],
  );
});

test("a foreign process on the port of a killed server cannot prove itself and gets no token", async (t) => {
  const place = openPlace(t);
  const short = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(short, "exit");
  const first = await place.start({ pid: short.pid ?? -1 });
  const ask = sender(place, first);
  // The process is not visible from here, as in a container, so it must prove itself each time.
  assert.equal(await ask("/one"), 200);
  await first.end();
  const foreign = await startForeign(t, first.port);
  const askAgain = async (): Promise<number> => {
    assert.equal(await ask("/two"), 503);
    return foreign.asked.length;
  };
  await waitFor(askAgain, { describe: "a request at the foreign server" });
  assert.deepEqual(foreign.asked, ["GET /healthz -"]);
});

test("a server must prove itself after its stream was cut, even if its process still exists", async (t) => {
  const place = openPlace(t);
  const first = await place.start();
  const usual = { isFollowed: true, tokenOf: () => "ours", send: fetch };
  const send = sendToFound({ file: place.file, server: first.discovery, ...usual });
  const stream = await send(new Request(`${first.discovery.url}/stream`));
  await first.end();
  await assert.rejects(stream.text());
  const foreign = await startForeign(t, first.port);
  const { status } = await send(new Request(`${first.discovery.url}/after`));
  assert.equal(status, 503);
  assert.deepEqual(
    foreign.asked.filter((request) => request !== "GET /healthz -"),
    [],
  );
});

test("a refusal from a foreign process is ignored, a refusal from the server itself counts", async (t) => {
  const place = openPlace(t);
  const first = await place.start();
  const foreign = await startForeign(t);
  let isTaken = true;
  // The port changes hands after the file was checked and before the request arrives.
  const send = async (request: Request): Promise<Response> => {
    if (!isTaken) return fetch(request);
    await announce(place.file, second.discovery);
    return fetch(new Request(foreign.url, request));
  };
  const ask = sender(place, first, { send });
  const second = await place.start();
  await announce(place.file, first.discovery);
  assert.equal(await ask("/one"), 503);
  isTaken = false;
  assert.equal(await ask("/two"), 200);
  assert.deepEqual([first.asked, second.asked], [[], ["GET /two Bearer ours"]]);
  const revoked = sender(place, second, { tokenOf: () => "revoked" });
  assert.equal(await revoked("/three"), 401);
});

test("a replaced token is read again", async (t) => {
  const place = openPlace(t);
  const first = await place.start({ token: "newer" });
  let token = "ours";
  const ask = sender(place, first, { tokenOf: () => token });
  token = "newer";
  assert.equal(await ask("/one"), 503);
  assert.equal(await ask("/two"), 200);
  assert.deepEqual(first.asked, ["GET /one Bearer ours", "GET /two Bearer newer"]);
});

test("a client that wants one process is not sent to the next one", async (t) => {
  const place = openPlace(t);
  const first = await place.start();
  const ask = sender(place, first, { isFollowed: false });
  assert.equal(await ask("/one"), 200);
  const second = await place.start();
  assert.equal(await ask("/two"), 410);
  assert.deepEqual([first.asked, second.asked], [["GET /one Bearer ours"], []]);
});

test("`holdfast server stop` stops the server that it found, not one that was started later", async (t) => {
  const cli = openCli(t, { HOLDFAST_TOKEN: "ours" });
  mkdirSync(dirname(cli.store), { recursive: true });
  const place = openPlace(t, `${cli.store}.server.json`);
  const second = await place.start();
  const first = await place.start({
    answer: async () => {
      await announce(place.file, second.discovery);
      return { running: [] };
    },
  });
  const { end, err } = await cli.run("server", "stop");
  const message = `the server at ${first.discovery.url} has ended`;
  assert.deepEqual([end, err], [1, `holdfast: noServer: ${message}\n`]);
  assert.deepEqual([first.asked, second.asked], [["GET /v1/status Bearer ours"], []]);
});
