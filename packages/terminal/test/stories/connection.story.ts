import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { keys, openPty } from "../support/pty.ts";
import type { Pty } from "../support/pty.ts";
import { countOf } from "../support/story.ts";

interface Place {
  readonly folder: string;
  readonly terminal: Pty;
  readonly serverPid: () => Promise<number>;
}

/** Opens a terminal in a folder without a server. The server that the terminal starts is killed after the test. */
async function openAlone(t: TestContext): Promise<Place> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-terminal-")));
  // On a busy machine, two starts of a server take long.
  const terminal = openPty({ folder, patience: 60_000 });
  const serverPid = async (): Promise<number> => {
    const file = join(folder, "data/holdfast/holdfast.db.server.json");
    const found: { pid: number } = JSON.parse(await readFile(file, "utf8"));
    return found.pid;
  };
  t.after(async () => {
    await terminal.close();
    process.kill(await serverPid(), "SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return { folder, terminal, serverPid };
}

test("a server that a person stops stays stopped until the user sends something (R1)", async (t) => {
  const { folder, terminal, serverPid } = await openAlone(t);
  terminal.type(`say one${keys.enter}`);
  await terminal.contains("● [demo agent] one");
  await terminal.hides("Esc stops");
  const first = await serverPid();
  process.kill(first, "SIGTERM");
  await terminal.contains(/■ The server was stopped\.[^]*starts\s+a\s+server/);
  await terminal.shows("○ server stopped");
  await assert.rejects(serverPid(), { code: "ENOENT" });
  // A command that needs no server starts none.
  terminal.type(`/help${keys.enter}`);
  await terminal.shows("q closes");
  terminal.type("q");
  await terminal.shows("○ server stopped");
  await assert.rejects(serverPid(), { code: "ENOENT" });
  terminal.type(`say two${keys.enter}`);
  await terminal.contains("■ Connected again");
  await terminal.contains("● [demo agent] two");
  const log = await readFile(join(folder, "data/holdfast/holdfast.db.server.log"), "utf8");
  assert.equal(countOf(log, "the server is ready"), 2, log);
  assert.equal(countOf(terminal.all(), "● [demo agent] two"), 1);
});

test("the client starts the server by itself; after kill -9 it reports the loss, and the prompt ends (R1)", async (t) => {
  const { terminal, serverPid } = await openAlone(t);
  // Typed before the client is connected.
  terminal.type(`words 300 every 20ms; say all done${keys.enter}`);
  await terminal.shows("word-10");
  terminal.type(keys.shiftTab);
  await terminal.shows(/^accept edits · /m);
  const first = await serverPid();
  process.kill(first, "SIGKILL");
  await terminal.contains("■ The server is gone");
  await terminal.shows("reconnecting");
  await terminal.contains("■ Connected again");
  await terminal.contains("● [demo agent] all done");
  await terminal.hides("Esc stops");
  assert.notEqual(await serverPid(), first);
  // The mode belongs to the session, so it is still set after the client is connected again.
  await terminal.shows(/^accept edits · /m);
  assert.equal(countOf(terminal.all(), "● [demo agent] all done"), 1);
});
