import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import { openModelCli, replying } from "./model-cli.ts";
import { noTerminal, plain, startAtTerminal } from "./terminal.ts";

function edit(from: string, to: string): ReturnType<typeof asks> {
  return asks({ name: "edit", input: { path: "a.txt", edits: [{ old: from, new: to }] } });
}

test(
  "R4 at a terminal an ask shows the preview, `always` is remembered, and answers are rendered as Markdown",
  { skip: noTerminal },
  async (t) => {
    const cli = await openModelCli(
      t,
      replying({
        first: [
          asks({ name: "read", input: { path: "a.txt" } }),
          edit("one", "two"),
          says("# Did\n\u001B[31mit **well**."),
        ],
        second: [edit("two", "three"), says("**Did** again.")],
      }),
    );
    const file = join(cli.folder, "a.txt");
    writeFileSync(file, "one\n");
    const first = startAtTerminal("run first", {
      folder: cli.folder,
      environment: {
        HOLDFAST_EMBEDDED: "1",
        HOLDFAST_AGENT: "",
        HOLDFAST_BASE_URL: cli.server.addresses.openaiChat,
        HOLDFAST_MODEL: "local/test",
      },
    });
    await first.printed("y, s, p or n: ");
    first.process.stdin?.write("hm\n");
    first.process.stdin?.write("s\n");
    const asked = await first.ended;
    assert.equal(asked.end, 0, asked.out + asked.err);
    assert.equal(readFileSync(file, "utf8"), "two\n");
    // Compare the text without colours.
    const words = plain(asked.out);
    assert.match(
      words,
      /\? May the agent change a\.txt\?\n {2}--- a\/a\.txt\n[^]* {2}-one\n {2}\+two\n/,
    );
    assert.match(words, / {2}s {2}always in this session {3}\(changes to a\.txt\)\n/);
    const heading = "\u001B[1;4m# Did\u001B[0m\r\n";
    const rest = "␛[31mit \u001B[2m**\u001B[0m\u001B[1mwell\u001B[0m\u001B[2m**\u001B[0m.\r\n";
    assert.ok(asked.out.includes(heading + rest), asked.out);
    const second = await cli.run("run", "--continue", "second");
    assert.deepEqual(
      [second.end, second.out, readFileSync(file, "utf8")],
      [0, "**Did** again.\n", "three\n"],
    );
    assert.ok(!second.err.includes("May the agent"), second.err);
  },
);
