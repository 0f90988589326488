import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import { startCommand } from "./command.ts";
import type { Running } from "./command.ts";
import { openModelDesk, replying } from "./model-desk.ts";

/** Gives a command a terminal; not on every machine. */
const script = hasScript();

function hasScript(): boolean {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
}

function edit(from: string, to: string): ReturnType<typeof asks> {
  return asks({ name: "edit", input: { path: "a.txt", edits: [{ old: from, new: to }] } });
}

test(
  "R4 at a terminal an ask shows what would happen, and always is remembered",
  {
    skip: script ? false : "script(1) of util-linux, which makes a terminal, is not installed",
  },
  async (t) => {
    const desk = await openModelDesk(
      t,
      replying({
        first: [asks({ name: "read", input: { path: "a.txt" } }), edit("one", "two"), says("Did.")],
        second: [edit("two", "three"), says("Did again.")],
      }),
    );
    const file = join(desk.folder, "a.txt");
    writeFileSync(file, "one\n");
    const bin = join(import.meta.dirname, "../../bin/holdfast.js");
    const atTerminal = (words: string): Running => {
      const environment = {
        HOLDFAST_BASE_URL: desk.server.addresses.openaiChat,
        HOLDFAST_MODEL: "local/test",
        CI: "1",
      };
      const code = `
      const { spawnSync } = require("node:child_process");
      const command = ${JSON.stringify(`'${process.execPath}' '${bin}' ${words}`)};
      const { status } = spawnSync("script", ["-qec", command, "/dev/null"], { stdio: "inherit" });
      process.exitCode = status;`;
      return startCommand(["--eval", code], { folder: desk.folder, environment });
    };
    const first = atTerminal("run first");
    await first.printed("y, s, p or n: ");
    first.process.stdin?.write("hm\n");
    first.process.stdin?.write("s\n");
    const asked = await first.ended;
    assert.equal(asked.end, 0, asked.out + asked.err);
    assert.equal(readFileSync(file, "utf8"), "two\n");
    // Colours are a matter of the terminal: the words are what counts.
    const plain = stripVTControlCharacters(asked.out).replaceAll("\r", "");
    assert.match(
      plain,
      /\? May the agent change a\.txt\?\n {2}--- a\/a\.txt\n[^]* {2}-one\n {2}\+two\n/,
    );
    assert.match(plain, / {2}s {2}always in this session {3}\(change \.\/a\.txt\)\n/);
    const second = await desk.run("run", "--continue", "second");
    assert.deepEqual([second.end, readFileSync(file, "utf8")], [0, "three\n"]);
    assert.ok(!second.err.includes("May the agent"), second.err);
  },
);
