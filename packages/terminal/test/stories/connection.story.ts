import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keys, openPty } from "../support/pty.ts";
import { countOf } from "../support/story.ts";

test("the client starts the server by itself; after kill -9 it reports the loss, and the prompt ends (R1)", async (t) => {
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
