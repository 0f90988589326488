import assert from "node:assert/strict";
import { test } from "node:test";
import { openEmbedded } from "./test-cli.ts";

test("commands accept the start of an id, and find a session even if no id is given", async (t) => {
  const cli = openEmbedded(t);
  const { err } = await cli.run("run", "--prompt-id", "alpha-1", "say one");
  const [, short = ""] = /^session ([0-9a-f]{8}) \(new\)$/m.exec(err) ?? [];
  await cli.run("run", "--session", short, "--prompt-id", "alpha-2", "say two");
  const [shown, named, queue] = await Promise.all([
    cli.run("show"),
    cli.run("show", short),
    cli.run("prompts", "--session", short, "--json"),
  ]);
  assert.equal(shown.out, named.out);
  assert.match(shown.out, /\[demo agent\] two\n/);
  assert.equal(queue.out.trimEnd().split("\n").length, 2, queue.err);
  const several = await cli.run("cancel", short, "--prompt", "alpha");
  assert.deepEqual(
    [several.end, several.err],
    [
      2,
      "holdfast: ambiguousId: alpha is the start of several prompt ids: alpha-1, alpha-2; write more characters of the id\n",
    ],
  );
  const none = await cli.run("show", "nothing");
  assert.match(none.err, /^holdfast: unknownSession: there is no session nothing in /);
});
