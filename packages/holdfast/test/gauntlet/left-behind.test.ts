import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { openScratchFolder } from "../../../../gauntlet/scratch-folder.ts";
import { endLeftBehind, leftBehind } from "../../../../gauntlet/targets/left-behind.ts";

test(
  "a background process of an agent ends with its scenario, and no other process does",
  { skip: process.platform !== "linux" },
  async (t) => {
    const [own, other] = [openScratchFolder(), openScratchFolder()];
    const start = async (home: string) => {
      const env = { HOME: home };
      const words = ["-e", "setInterval(() => {}, 1000)"];
      const child = spawn(process.execPath, words, { env, detached: true, stdio: "ignore" });
      t.after(() => child.kill("SIGKILL"));
      await once(child, "spawn");
      return child;
    };
    const [left, kept] = [await start(own.path), await start(other.path)];
    assert.deepEqual(leftBehind(own.path), [left.pid]);
    const ended = once(left, "exit");
    endLeftBehind(own.path);
    assert.deepEqual(await ended, [null, "SIGKILL"]);
    assert.deepEqual([leftBehind(own.path), kept.exitCode], [[], null]);
    own.close();
    other.close();
  },
);
