import assert from "node:assert/strict";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { makeFolder } from "../../src/base/folders.ts";
import { startInBackground } from "../../src/compose/background-server.ts";
import { hungServerProblem } from "../../src/compose/hung-server.ts";
import { noteSilence } from "../../src/compose/silent-server.ts";
import { announce, findServer, readDiscovery } from "../../src/server/discovery.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { endServers, serversIn } from "../support/end-servers.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { waitFor } from "../support/wait-for.ts";

const problemOf = (pid: number): string =>
  `the server (process ${pid}) does not answer; end it with \`kill -9 ${pid}\`, and try again`;

/** Announces a server for the default store that accepts connections and never answers. */
async function announceSilent(t: TestContext, home: string): Promise<{ store: string }> {
  const sockets = createServer();
  t.after(() => sockets.close());
  const { promise, resolve } = Promise.withResolvers<void>();
  sockets.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = sockets.address();
  assert.ok(typeof address === "object" && address !== null);
  const store = join(home, ".local", "share", "holdfast", "holdfast.db");
  await makeFolder(dirname(store), 0o700);
  await announce(`${store}.server.json`, {
    url: `http://127.0.0.1:${address.port}`,
    // A process that exists and is not this one.
    pid: process.ppid,
    startedAt: 0,
    isBackground: true,
    secret: "s",
  });
  return { store };
}

test("a command that finds a server that hangs names its process, and ends the server that it started", async (t) => {
  const home = scratchFolder(t, "hung");
  t.after(() => endServers(home));
  const { store } = await announceSilent(t, home);
  const environment = { PATH: process.env["PATH"], HOME: home };
  const time = t.mock.method(performance, "now");
  let finds = 0;
  const find = (): Promise<null> => {
    finds += 1;
    // The second time, the new server has just been started. Then the time for its start is over.
    if (finds === 2) {
      assert.equal(serversIn(home).length, 1);
      const later = performance.now() + 60_000;
      time.mock.mockImplementation(() => later);
    }
    return Promise.resolve(null);
  };
  await assert.rejects(startInBackground({ store, environment, home }, find), {
    code: "serverStart",
    message: `the background server could not start: ${problemOf(process.ppid)}`,
  });
  time.mock.restore();
  await waitFor(() => serversIn(home).length === 0, { describe: "the end of the new server" });
});

test("a server that was just started and does not answer yet is not ended", async (t) => {
  const home = scratchFolder(t, "slow");
  t.after(() => endServers(home));
  const store = join(home, ".local", "share", "holdfast", "holdfast.db");
  const file = `${store}.server.json`;
  const environment = { PATH: process.env["PATH"], HOME: home };
  const time = t.mock.method(performance, "now");
  const find = (): Promise<null> => {
    const pid = readDiscovery(file)?.pid ?? null;
    // When the new server has announced itself, it stops to answer, and the time for its start is over.
    if (pid !== null) {
      process.kill(pid, "SIGSTOP");
      const later = performance.now() + 60_000;
      time.mock.mockImplementation(() => later);
    }
    return Promise.resolve(null);
  };
  await assert.rejects(startInBackground({ store, environment, home }, find), {
    code: "serverStart",
    message: `the background server could not start: see its log ${store}.server.log`,
  });
  time.mock.restore();
  const { pid } = readDiscovery(file) ?? assert.fail("the server has announced itself");
  process.kill(pid, "SIGCONT");
  const found = await waitFor(() => findServer(file), { describe: "an answer of the server" });
  assert.equal(found?.pid, pid);
});

test("a command that waits for a server that hangs says so after three seconds", async (t) => {
  const home = scratchFolder(t, "silent");
  const { store } = await announceSilent(t, home);
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const clock = createHandClock();
  const opening = Promise.withResolvers<string>();
  const place = { store, environment: {}, home, note };
  const opened = noteSilence(place, opening.promise, clock);
  await clock.move(3_000);
  await waitFor(() => notes.length > 0, { describe: "the note" });
  opening.resolve("client");
  assert.equal(await opened, "client");
  assert.deepEqual(notes, [
    `the server (process ${process.ppid}) does not answer; waiting up to 60 s`,
  ]);

  assert.equal(await noteSilence(place, Promise.resolve("next"), clock), "next");
  assert.deepEqual([clock.pending(), notes.length], [0, 1]);
});

test("a process with the id of a server that has ended is not reported as a server that hangs", async (t) => {
  const file = join(scratchFolder(t, "hung"), "holdfast.db.server.json");
  const ended = { url: "http://127.0.0.1:9", pid: process.ppid, startedAt: 0, secret: "s" };
  await announce(file, { ...ended, isBackground: true });
  assert.equal(await hungServerProblem(file), null);
});
