import assert from "node:assert/strict";
import { test } from "node:test";
import { isNewer, replaceOldServer } from "../../src/compose/other-version.ts";

/** Connects to a server of another version. Returns the action that was taken and the printed note. */
async function meet(server: { version: string; isBackground?: boolean; isIdle?: boolean }) {
  const { version, isBackground = true, isIdle = true } = server;
  const done: string[] = [];
  const used = await replaceOldServer({
    found: "old",
    server: { version, isBackground, url: "http://127.0.0.1:4747" },
    own: "0.2.0",
    stopIfIdle: () => {
      done.push("stopIfIdle");
      return Promise.resolve(isIdle);
    },
    restart: () => Promise.resolve("new"),
    note: (text) => done.push(text),
  });
  return [used, ...done];
}

test("an idle background server of an older version is replaced", async () => {
  assert.deepEqual(await meet({ version: "0.2.0" }), ["old"]);
  assert.deepEqual(await meet({ version: "0.1.9" }), [
    "new",
    "stopIfIdle",
    "the background server has version 0.1.9, and this command has version 0.2.0; the server was idle and is replaced",
  ]);
});

test("M1 a server that works, that a person started, or that is newer is used as it is", async () => {
  assert.deepEqual(await meet({ version: "0.1.9", isIdle: false }), [
    "old",
    "stopIfIdle",
    "the background server has version 0.1.9, and this command has version 0.2.0; the server is working, so this command uses it " +
      "as it is; to replace it, wait until it is idle, or run: holdfast server stop",
  ]);
  assert.deepEqual(await meet({ version: "0.1.9", isBackground: false }), [
    "old",
    "the server at http://127.0.0.1:4747 has version 0.1.9, and this command has the newer version 0.2.0; some functions may fail until the server is updated and restarted",
  ]);
  assert.deepEqual(await meet({ version: "0.10.0" }), [
    "old",
    "the server at http://127.0.0.1:4747 has version 0.10.0, and this command has the older version 0.2.0; update this installation of Holdfast",
  ]);
});

test("versions are compared by their numbers", () => {
  assert.deepEqual(
    [isNewer("0.10.0", "0.9.9"), isNewer("1.0.0", "1.0.0-rc.1"), isNewer("unknown", "0.1.0")],
    [true, false, false],
  );
});
