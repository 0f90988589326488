import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import { openCli, openEmbedded } from "./test-cli.ts";
import { openModelCli, replying } from "./model-cli.ts";

test("sessions lists each session with its status, newest first", async (t) => {
  const question = asks({ name: "askUser", input: { question: "Which?" } });
  const cli = await openModelCli(
    t,
    replying({ hello: [says("Hi.")], bad: [{ status: 401, message: "no" }], ask: [question] }),
  );
  const none = await cli.run("sessions");
  assert.deepEqual(none, {
    end: 0,
    out: 'No sessions yet. Start one with: holdfast run "..."\n',
    err: "",
  });
  await cli.run("run", "hello you");
  await cli.run("run", "bad key");
  const { out } = await cli.run("sessions");
  // The title may arrive at any time; until then the first prompt is shown.
  const named = out
    .replaceAll(/^[0-9a-f]{8}/gm, "ID")
    .replaceAll(/(?:A title|bad key|hello you)/g, "NAME")
    .replaceAll(/ {2,}/g, "  ");
  assert.deepEqual(named.split("\n"), [
    "SESSION  USED  STATUS  TITLE  DIRECTORY",
    `ID  just now  paused: badKey  NAME  ${cli.folder}`,
    `ID  just now  idle  NAME  ${cli.folder}`,
    "",
  ]);
  const held = await cli.run("sessions", "--status", "asking,held", "--json");
  assert.deepEqual(
    held.out.split("\n").map((line) => /"status":"\w+"/.exec(line)?.[0]),
    ['"status":"held"', undefined],
  );
  assert.equal((await cli.run("sessions", "--status", "running")).out, "No session matches.\n");
  mkdirSync(join(cli.folder, "other"));
  const other = await cli.run("sessions", "--dir", "other", "--json");
  assert.deepEqual(other, { end: 0, out: "", err: "" });
});

test("T1 show prints the conversation with the true status of every call, even of stopped ones", async (t) => {
  const cli = openEmbedded(t);
  const { err } = await cli.run("run", "say hello; ask to append a.txt x; tool read y; fail");
  const id = /session (\S+) /.exec(err)?.[1] ?? "";
  const { out } = await cli.run("show", id);
  assert.deepEqual(
    out
      // The title may arrive at any time.
      .replace(/^(.* idle\n)say hello.*\n/, "$1")
      .replaceAll(/> [0-9a-f]{8}, .*/g, "> PROMPT")
      .replaceAll(/^ {2}[0-9a-f]{8} /gm, "  ID ")
      .split("\n"),
    [
      `${id}  idle`,
      `in ${cli.folder}`,
      "agent demo",
      "",
      "> PROMPT",
      "say hello; ask to append a.txt x; tool read y; fail",
      "",
      "[demo agent] hello",
      "",
      "[demo agent] I call append.",
      "  ✗ append denied  [demo agent] there was no terminal to ask",
      "",
      "[demo agent] I call read.",
      "  ✓ read  [demo agent] read pretended to work: y",
      "  ID failed (agentError): [demo agent] I was told to fail (agentError).",
      "",
    ],
  );
});

test("export writes the log, the ledger and every body by its hash", async (t) => {
  const cli = await openModelCli(
    t,
    replying({
      edit: [asks({ name: "write", input: { path: "n.txt", content: "new\n" } }), says("Done.")],
    }),
  );
  const { err } = await cli.run("run", "--yes", "edit");
  const id = /session (\S+) /.exec(err)?.[1] ?? "";
  const { end } = await cli.run("export", id, "--output", "session.json");
  assert.equal(end, 0);
  const exported: {
    format: string;
    state: { seq: number };
    events: { seq: number; body?: string | null }[];
    prompts: { outcome: { status: string } }[];
    bodies: Record<string, { text?: string; base64?: string }>;
  } = JSON.parse(readFileSync(join(cli.folder, "session.json"), "utf8"));
  const { format, state, events, prompts, bodies } = exported;
  assert.deepEqual(
    [format, events.map(({ seq }) => seq), prompts.map(({ outcome }) => outcome.status)],
    ["holdfast-session", Array.from({ length: state.seq }, (_, index) => index + 1), ["completed"]],
  );
  for (const [hash, { text, base64 = "" }] of Object.entries(bodies)) {
    const bytes = text === undefined ? Buffer.from(base64, "base64") : Buffer.from(text);
    assert.equal(createHash("sha256").update(bytes).digest("hex"), hash);
  }
  const named = events.flatMap(({ body }) => body ?? []);
  assert.ok(named.length > 4 && named.every((hash) => hash in bodies));
  const again = await cli.run("export", id, "--output", "session.json");
  assert.deepEqual([again.end, again.err.split(":")[1]], [1, " file"]);
});

test("bad input prints one line with advice, before anything is opened or sent", async (t) => {
  const cli = await openModelCli(t, replying({ "": [says("No.")] }));
  writeFileSync(join(cli.folder, "zeros"), Buffer.alloc(300 * 1024));
  writeFileSync(join(cli.folder, "bytes"), Buffer.from([0xff, 0xfe, 0x00]));
  const cases: [words: string[], end: number, err: RegExp][] = [
    [
      ["run", "--file", "zeros", "x"],
      2,
      /^holdfast: tooLarge: zeros has 300 KiB, more than the limit of 256 KiB; /,
    ],
    [["run", "--file", "bytes", "x"], 2, /^holdfast: file: bytes is not UTF-8 text; /],
    [
      ["run", "--file", "none", "x"],
      2,
      /^holdfast: file: none cannot be read: it does not exist; /,
    ],
    [["run", "--file", ".", "x"], 2, /^holdfast: file: \. is not a file; /],
    [["run", "--dir", "none", "x"], 2, /^holdfast: directory: .*none is not a folder; /],
    [["run", "--schema", "none", "x"], 2, /^holdfast: schema: none is not .*: it does not exist\n/],
    [
      ["run", "--model", "no/such", "x"],
      1,
      /^holdfast: modelGone: The model no\/such cannot be used: the provider no is not connected /,
    ],
    [["run", "--model", "such", "x"], 1, /^holdfast: modelGone: "such" is not a model name\. /],
    [["run", "--effort", "much", "x"], 2, /^holdfast: usage: .*Allowed choices are minimal, low/],
    [["run", "--continue", "x"], 1, /^holdfast: storeInvalid: there is no store at /],
    [["run", "--continue", "--session", "y", "x"], 2, /^holdfast: usage: option '-c, --continue' /],
    [["show", "x"], 1, /^holdfast: storeInvalid: there is no store at .* yet; /],
    [["undo"], 1, /^holdfast: storeInvalid: there is no store at .* yet; /],
    [["completion", "tcsh"], 2, /^holdfast: usage: .*Allowed choices are bash, zsh, fish/],
  ];
  const ended = await Promise.all(cases.map(([words]) => cli.run(...words)));
  for (const [index, [words, end, err]] of cases.entries()) {
    assert.deepEqual([ended[index]?.end, ended[index]?.out], [end, ""], words.join(" "));
    assert.match(ended[index]?.err ?? "", err);
    assert.equal(ended[index]?.err.split("\n").length, 2);
  }
  const huge = await cli.feed("x".repeat(2 * 1024 * 1024), "run");
  assert.match(huge.err, /^holdfast: tooLarge: the input is larger than 1 MiB; /);
  assert.equal(cli.server.calls.length, 0);
});

test("npm start runs the command line, and takes the options of serve", async (t) => {
  const cli = openCli(t);
  const main = join(import.meta.dirname, "../../../../scripts/start.ts");
  const { startCommand } = await import("./test-cli.ts");
  const { end, out, err } = await startCommand([main, "run", "--embedded", "say hello"], {
    folder: cli.folder,
  }).ended;
  assert.deepEqual([end, out], [0, "[demo agent] hello\n"]);
  assert.match(err, /^Demo agent: .*\nTo connect a model, run `holdfast connect anthropic` /);
  const help = await startCommand([main, "--port", "4800", "--help"], { folder: cli.folder }).ended;
  assert.equal(help.end, 0);
  assert.match(help.out, /^Usage: holdfast serve /);
});
