import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { says } from "../../../../gauntlet/model-server/script.ts";
import { lastWords, openModelCli, replying } from "./model-cli.ts";

const session = /session (\S+) \(new\)/;

test("a file without text is a prompt: an image as attachment, a text file as the text", async (t) => {
  const cli = await openModelCli(t, replying({ "": [says("Seen.")] }));
  writeFileSync(join(cli.folder, "dot.gif"), Buffer.from(dot, "base64"));
  writeFileSync(join(cli.folder, "b.txt"), "words\n");
  const picture = await cli.run("run", "--quiet", "--file", "dot.gif");
  assert.deepEqual([picture.end, picture.out], [0, "Seen.\n"], picture.err);
  const text = await cli.run("run", "--quiet", "--file", "b.txt", "");
  assert.deepEqual([text.end, text.out], [0, "Seen.\n"], text.err);
  assert.equal(lastWords(cli.server.calls), '<file path="b.txt">\nwords\n</file>');
  assert.match((await cli.run("run", "")).err, /the prompt is empty/);
});

const dot = "R0lGODlhAQABAAAAACwAAAAAAQABAAA=";

test("--continue uses the newest session of the directory", async (t) => {
  const cli = await openModelCli(t, replying({ "": [says("Yes.")] }));
  const first = await cli.run("run", "one");
  await cli.run("run", "two");
  const id = session.exec(first.err)?.[1] ?? "";
  await cli.run("run", "--session", id, "three");
  const { end } = await cli.run("run", "--continue", "--quiet", "four");
  assert.equal(end, 0);
  const said = cli.server.calls.at(-1)?.messages.map(({ text }) => text);
  assert.deepEqual(said, ["one", "Yes.", "three", "Yes.", "four"]);
});
