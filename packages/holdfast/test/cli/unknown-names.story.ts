import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openCli } from "./test-cli.ts";

const lists = (list: string): string => `; \`holdfast ${list}\` lists all\n`;

test("an unknown name is reported with the command that lists all names", async (t) => {
  const cli = openCli(t);
  const holdfast = connect(await cli.serve());
  await holdfast.sessions.create({ directory: cli.folder, sessionId: "here" });
  const cases: [words: string[], err: string][] = [
    [["cancel", "nope"], `unknownSession: there is no session nope${lists("sessions")}`],
    [["attach", "nope"], `unknownSession: there is no session nope${lists("sessions")}`],
    [
      ["cancel", "here", "--prompt", "nope"],
      `unknownPrompt: there is no prompt nope in this session${lists("prompts")}`,
    ],
    [
      ["server", "maintenance", "nope"],
      `unknownAction: there is no maintenance action nope${lists("server maintenance")}`,
    ],
    [["disconnect", "nope"], `unknownProvider: no provider nope is connected${lists("providers")}`],
    [
      ["store", "tidy"],
      `databaseInUse: another process is using ${cli.store}; wait until its work has ended, or stop it (a server with \`holdfast server stop\`), or use --dry-run\n`,
    ],
    [
      ["export", "here", "--output", "none/here.json"],
      "file: none/here.json cannot be written: its folder does not exist; name a new file\n",
    ],
    [
      ["import", cli.store],
      `invalid: ${cli.store} cannot be imported: it is not valid JSON in UTF-8; name a file written by holdfast export\n`,
    ],
    [
      ["export", "here", "--output", `${cli.store}/here.json`],
      `file: ${cli.store}/here.json cannot be written: a part of its path is a file, not a folder; name a new file\n`,
    ],
  ];
  const ended = await Promise.all(cases.map(([words]) => cli.run(...words)));
  assert.deepEqual(
    ended,
    cases.map(([, err]) => ({ end: 1, out: "", err: `holdfast: ${err}` })),
  );
});
