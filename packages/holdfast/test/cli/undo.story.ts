import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import { askWarning } from "../support/needs-sandbox.ts";
import { key, openModelCli, replying } from "./model-cli.ts";

const session = /session (\S+) \(new\)/;

const editing = [
  asks({ name: "read", input: { path: "a.txt" } }),
  asks({ name: "edit", input: { path: "a.txt", edits: [{ old: "world", new: "there" }] } }),
  asks({ name: "shell", input: { command: "cat a.txt k.txt; echo $HOLDFAST_API_KEY" } }),
  says("It says there now."),
];

test("an edit that --yes allowed is shown and reverted, and the model gets a message about the revert", async (t) => {
  const cli = await openModelCli(t, replying({ "change it": editing, "go on": [says("Fine.")] }));
  const file = join(cli.folder, "a.txt");
  writeFileSync(file, "hello world\n");
  writeFileSync(join(cli.folder, "k.txt"), `its key is ${key}\n`);

  const denied = await cli.run("run", "change it");
  assert.deepEqual([denied.end, readFileSync(file, "utf8")], [0, "hello world\n"]);
  assert.match(denied.err, /\? May the agent change a\.txt\?\n {2}denied: there is no terminal/);
  assert.match(denied.err, /✗ edit a\.txt denied/);

  const edited = await cli.run("run", "--yes", "change it");
  const id = session.exec(edited.err)?.[1] ?? "";
  assert.equal(readFileSync(file, "utf8"), "hello there\n");
  assert.deepEqual(
    { ...edited, err: edited.err.replaceAll(id, "ID") },
    {
      end: 0,
      out: "It says there now.\n",
      err: `local/test
session ID (new)
in ${cli.folder}, kept in ${cli.store}

  ▸ read a.txt
  ✓ read a.txt  1 hello world
  ▸ edit a.txt
? May the agent change a.txt?
  allowed: --yes
  ✓ edit a.txt  +1 −1
    @@ -1,1 +1,1 @@
    -hello world
    +hello there
  ▸ shell cat a.txt k.txt; echo $HOLDFAST_API_KEY
? May the agent run cat a.txt k.txt; echo $HOLDFAST_API_KEY?${askWarning}
This answer cannot be remembered: \`$\` is a value that only the shell knows, but rules can only cover plain commands.
  allowed: --yes
  ✓ shell cat a.txt k.txt; echo $HOLDFAST_API_KEY  its key is [secret] (2 lines)

completed; 40 tokens in, 20 out
continue with: holdfast run --session ID "..."
`,
    },
  );

  const unasked = await cli.run("undo");
  assert.deepEqual(
    [unasked.end, unasked.err],
    [
      1,
      "holdfast: notConfirmed: there is no terminal to ask for confirmation; use --yes to confirm in advance\n",
    ],
  );
  assert.equal(readFileSync(file, "utf8"), "hello there\n");
  const reverted = await cli.run("undo", "--yes");
  assert.deepEqual([reverted.end, readFileSync(file, "utf8")], [0, "hello world\n"]);
  assert.match(reverted.out, /-hello there\n\+hello world\n/);
  assert.match(reverted.out, /Not undone, because.*\n {2}run cat a\.txt k\.txt/);
  assert.match(reverted.out, /Undone: a\.txt\. The session was informed\.\n$/);
  const again = await cli.run("undo", "--yes");
  assert.match(again.out, /Nothing to undo/);

  await cli.run("run", "--continue", "go on");
  const seen =
    cli.server.calls
      .at(-1)
      ?.messages.map(({ text }) => text)
      .join("\n") ?? "";
  assert.match(seen, /were undone by the user: a\.txt\./);

  const shown = await cli.run("show", id);
  const exported = await cli.run("export", id);
  const all = [denied, edited, unasked, reverted, again, shown, exported];
  assert.ok(all.every(({ out, err }) => !`${out}${err}`.includes(key)));
  assert.ok(
    !readFileSync(cli.store).includes(key) && !readFileSync(`${cli.store}-wal`).includes(key),
  );
});

test("revert refuses a file that has changed since, unless --force is given", async (t) => {
  const cli = await openModelCli(t, replying({ "change it": editing }));
  const file = join(cli.folder, "a.txt");
  writeFileSync(file, "hello world\n");
  await cli.run("run", "--yes", "change it");
  writeFileSync(file, "hello there, and more\n");
  const refused = await cli.run("undo", "--yes");
  assert.deepEqual(
    [refused.end, refused.err, readFileSync(file, "utf8")],
    [
      1,
      "holdfast: changedSince: a.txt: the file was changed after the run; check the diff above, or undo the changes anyway with --force\n",
      "hello there, and more\n",
    ],
  );
  const forced = await cli.run("undo", "--yes", "--force");
  assert.deepEqual([forced.end, readFileSync(file, "utf8")], [0, "hello world\n"]);
});
