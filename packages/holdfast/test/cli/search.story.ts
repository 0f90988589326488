import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openCli } from "./test-cli.ts";

test("search prints the texts of a session that another command has run, and refuses empty words", async () => {
  const cli = openCli({ after });
  const place = ["--embedded", "--store", cli.store];
  const run = await cli.run("run", "--agent", "demo", ...place, "say walrus readFileSync");
  assert.equal(run.end, 0, run.err);
  const found = await cli.run("search", "readFile", "--kind", "prompt", ...place);
  assert.deepEqual([found.end, found.err], [0, ""]);
  assert.match(found.out, / {2}prompt {2}just now {2}.*\n {4}say walrus readFileSync\n$/);
  const json = await cli.run("search", "walrus", "--kind", "answer", "--json", ...place);
  assert.equal(JSON.parse(json.out).kind, "answer");
  const none = await cli.run("search", "penguin", ...place);
  assert.deepEqual(none, { end: 0, out: "No text matches.\n", err: "" });
  const report = await cli.run("export", "--html", ...place);
  assert.deepEqual([report.end, report.err], [0, ""]);
  assert.match(report.out, /^<!doctype html>[^]*say walrus readFileSync[^]*<\/html>\n$/);
  const events = (await cli.run("show", "--json", ...place)).out.trimEnd().split("\n");
  const runId: string = events.map((line) => JSON.parse(line).runId).find(Boolean);
  const short = runId.replace("run-", "").slice(0, 8);
  const one = await cli.run("export", "--html", "--run", short, ...place);
  assert.match(one.out, /say walrus readFileSync/, one.err);
  const unknown = await cli.run("export", "--html", "--run", "none", ...place);
  assert.deepEqual(
    [unknown.end, unknown.err],
    [
      1,
      "holdfast: unknownRun: there is no run none in this session; `holdfast prompts --json` prints the run of each prompt\n",
    ],
  );
  const half = await cli.run("export", "--run", "none", ...place);
  assert.match(half.err, /--run works only with --html/);
  const odd = await cli.run("search", "***", ...place);
  assert.notEqual(odd.end, 0);
  assert.match(odd.err, /the search text has no letter or digit/);
});
