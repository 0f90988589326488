import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openCli, startShell } from "./test-cli.ts";

test("piped text and files are attached to the prompt, and --no-stdin reads none", async (t) => {
  const cli = openCli(t);
  const holdfast = connect(await cli.serve());
  writeFileSync(join(cli.folder, "log.txt"), "line one\nline two\n");
  const sent = async (script: string): Promise<[string, string | null]> => {
    const { end, err } = await startShell(script, cli.folder).ended;
    assert.equal(end, 0, err);
    const { items } = await holdfast.sessions.list({ directory: cli.folder });
    const { items: prompts } = await holdfast.session(items[0]?.sessionId ?? "").prompts();
    return [err, prompts.at(-1)?.text ?? null];
  };
  const [said, piped] = await sent('cat log.txt | holdfast run "say explain this"');
  assert.match(said, /^attached 18 B from stdin\n/);
  const text = 'say explain this\n\n<file path="stdin">\nline one\nline two\n</file>';
  assert.equal(piped, text);
  assert.equal((await sent('holdfast run "say explain this" < log.txt'))[1], text);
  assert.equal((await sent('cat log.txt | holdfast run --no-stdin "say it"'))[1], "say it");
  assert.equal((await sent('holdfast run "say it" < /dev/null'))[1], "say it");
  const pipe = join(cli.folder, "slow-pipe");
  execFileSync("mkfifo", [pipe]);
  const slow = startShell('holdfast run "say it" < slow-pipe', cli.folder);
  const writer = createWriteStream(pipe);
  await slow.printed("waiting for the end of stdin; --no-stdin does not read it");
  writer.end("late\n");
  assert.equal((await slow.ended).end, 0);
});
