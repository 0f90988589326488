import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startServer } from "../../../src/server/serve.ts";
import type { Served } from "../../../src/server/serve.ts";
import { startCommand } from "../../cli/test-cli.ts";
import { program } from "../../support/program.ts";
import { served, startTiny } from "./tiny-server.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

test("R1 until recovery is complete, every request is answered 503 with Retry-After", async (t) => {
  const opening = Promise.withResolvers<Served>();
  const server = await startTiny(t, { open: () => opening.promise, patience: 20 });
  const ask = async (path: string): Promise<unknown[]> => {
    const answer = await fetch(`${server.url}${path}`);
    const body = await answer.text();
    const code = /"code":"(?<code>\w+)"/.exec(body)?.groups?.["code"] ?? body;
    return [answer.status, answer.headers.get("retry-after"), code];
  };
  const health = '{"status":"ok","name":"holdfast","version":"0.0.0","proof":null}';
  assert.deepEqual(
    [await ask("/healthz"), await ask("/readyz"), await ask("/v1/sessions")],
    [
      [200, null, health],
      [503, "1", "notReady"],
      [503, "1", "notReady"],
    ],
  );
  opening.resolve(served());
  await server.ready;
  assert.deepEqual(await ask("/v1/sessions"), [200, null, "here"]);
});

test("R1 a request during the start waits and is answered when the start is complete", async (t) => {
  const opening = Promise.withResolvers<Served>();
  const server = await startTiny(t, { open: () => opening.promise, patience: 60_000 });
  const waiting = fetch(`${server.url}/v1/sessions`);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 503);
  opening.resolve(served());
  assert.equal(await (await waiting).text(), "here");
});

test("a failed start closes the port and reports the reason, even to a late caller", async (t) => {
  const server = await startTiny(t, { open: () => Promise.reject(new Error("no store")) });
  await server.closed;
  await setImmediate();
  await assert.rejects(server.ready, /no store/);
  await assert.rejects(fetch(server.url), /fetch failed/);
});

test("serve prints one line with the reason if it cannot start, and exits", async (t) => {
  const folder = scratchFolder(t, "start");
  const broken = join(folder, "broken");
  const guarded = join(folder, "guarded");
  const unfound = join(folder, "unfound");
  for (const data of [broken, guarded, unfound]) mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(broken, "holdfast.db"), "x".repeat(5_000));
  writeFileSync(join(guarded, "token"), "no token", { mode: 0o600 });
  mkdirSync(join(unfound, "holdfast.db.server.json"));
  const ends = [broken, guarded, unfound].map(async (data) => {
    const words = ["serve", "--port", "0", "--data", data];
    const { end, out, err } = await startCommand([program, ...words], { folder }).ended;
    return [end, out, err];
  });
  assert.deepEqual(await Promise.all(ends), [
    [
      1,
      "",
      `holdfast: storeInvalid: ${broken}/holdfast.db is not a SQLite database; choose another file, or move this one away\n`,
    ],
    [1, "", `holdfast: unsafeFile: ${guarded}/token does not contain a token; remove the file\n`],
    [
      1,
      "",
      `holdfast: unusableFolder: ${unfound}/holdfast.db.server.json, with which commands find this server, cannot be written: a folder with this name exists; name another folder with --data\n`,
    ],
  ]);
  const left = readdirSync(unfound).filter((name) => name.endsWith(".new"));
  assert.deepEqual(left, []);
});

test("a requested port that is in use is an error; without a request the next port is used", async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => {
    other.listen(4747, "127.0.0.1", resolve).once("error", () => resolve());
  });
  t.after(() => other.close());
  const server = await startTiny(t, { port: null });
  assert.ok(server.port > 4747, `it listens on ${server.port}`);
  await assert.rejects(
    startServer({
      host: "127.0.0.1",
      port: server.port,
      version: "",
      discoveryFile: "/nowhere/server.json",
      stopCommand: () => "",
      announce: () => Promise.reject(new Error("it does not start")),
      isBackground: false,
      deadline: 0,
      open: () => Promise.resolve(served()),
    }),
    {
      message: `port ${server.port} on 127.0.0.1 is in use; name a free port with --port, or --port 0 for any`,
    },
  );
});
