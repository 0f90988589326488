import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { filesOf, permissionOf } from "../../../src/agent/hosted/call-view.ts";
import type { CallUpdate } from "../../../src/agent/hosted/updates.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import type { PermissionEffect, PermissionRule } from "../../../src/agent/permissions/rule.ts";
import { decidePermission } from "../../../src/agent/permissions/rules.ts";
import type { SessionMode } from "../../../src/kernel/state.ts";

test("a hosted agent cannot leave the session's directory with `..` or a link (H4)", (t) => {
  const { directory, outside } = makeFolders(t);
  const escapes = [
    "../outside/a.txt",
    "src/../../outside/a.txt",
    "missing/../../outside/new.txt",
    `${directory}/../outside/a.txt`,
    `${outside}/a.txt`,
    "out/a.txt",
    "out/new/file.txt",
    "broken",
    // The link `deep` leads to `src/deep` inside, so the system finds `..` in `src`, and `path.resolve` does not.
    "deep/../../outside/a.txt",
    // The link `out` leads outside, so the system finds `..` outside, and `path.resolve` inside.
    "out/../a.txt",
    "loop",
    "src/a.txt\0",
  ];
  for (const path of escapes) {
    const decided = [
      decide({ id: "1", kind: "edit", input: { file_path: path } }, { directory }),
      decide({ id: "1", kind: "edit", diffs: [{ path, before: null, after: "x" }] }, { directory }),
      decide({ id: "1", kind: "read", paths: [path] }, { directory, mode: "ask" }),
    ];
    assert.deepEqual(decided, ["deny", "deny", "deny"], path);
  }
});

test("a path inside is named as for Holdfast's own tools, even if it contains `..` or a link (H4)", (t) => {
  const { directory } = makeFolders(t);
  const paths = [
    "src/a.txt",
    `${directory}/src/../src/a.txt`,
    "deep/b.txt",
    "..foo/x",
    `${directory}/..foo/x`,
    "new/folder/c.txt",
    "key",
    ".",
  ];
  const subjects = paths.map((path) => {
    const call = { id: "1", kind: "read", paths: [path] };
    return permissionOf(call, { agent: "stub", directory }).subject;
  });
  assert.deepEqual(subjects, [
    "src/a.txt",
    "src/a.txt",
    "src/deep/b.txt",
    "..foo/x",
    "..foo/x",
    "new/folder/c.txt",
    ".env",
    ".",
  ]);
  const edit: CallUpdate = { id: "1", kind: "edit", paths: ["deep/b.txt"] };
  assert.equal(decide(edit, { directory }), "allow");
  assert.equal(decide({ ...edit, paths: ["key"] }, { directory }), "ask");
  assert.equal(decide({ ...edit, kind: "delete", paths: ["src/.."] }, { directory }), "deny");
});

test("a rule for an allowed folder does not cover a path that leaves this folder (H4)", (t) => {
  const { directory, outside } = makeFolders(t);
  const rules: PermissionRule[] = [{ action: "read", pattern: `${outside}/**`, effect: "allow" }];
  const read = (path: string): PermissionEffect =>
    decide({ id: "1", kind: "read", paths: [path] }, { directory, rules, mode: "ask" });
  assert.equal(read(`${outside}/a.txt`), "allow");
  assert.equal(read(`${outside}/../other/x`), "deny");
});

test("a rule for a command applies only in the folder that it names (H4)", (t) => {
  const { directory, outside } = makeFolders(t);
  const rules: PermissionRule[] = [{ action: "run", pattern: "npm test *", effect: "allow" }];
  const run = (input: object, more: Partial<CallUpdate> = {}): PermissionEffect => {
    const call = { id: "1", kind: "execute", input: { command: "npm test", ...input }, ...more };
    return decide(call, { directory, rules, mode: "ask" });
  };
  const inside = [run({}), run({ cwd: directory }), run({ workdir: "src/.." }), run({ cwd: "" })];
  assert.deepEqual(inside, ["allow", "allow", "allow", "allow"]);
  const elsewhere = [
    run({ cwd: outside }),
    run({ workdir: "../outside" }),
    run({ dir_path: "out" }),
    run({ directory: "src" }),
    run({ cwd: directory, workdir: outside }),
    run({}, { paths: [outside] }),
  ];
  assert.deepEqual(elsewhere, ["ask", "ask", "ask", "ask", "ask", "ask"]);
  const own: PermissionRule = { action: "run", pattern: "cd src && npm test *", effect: "allow" };
  const call = { id: "1", kind: "execute", input: { command: "npm test", cwd: "src" } };
  assert.equal(decide(call, { directory, rules: [own], mode: "ask" }), "allow");
  assert.deepEqual(permissionOf(call, { agent: "stub", directory }), {
    action: "run",
    subject: "npm test",
    path: "src",
    preview: "npm test\n(in src)",
  });
});

test("the path of a command is not its folder if the input names the folder (H4)", (t) => {
  const { directory } = makeFolders(t);
  const call = {
    id: "1",
    kind: "execute",
    input: { command: "cat src/a.txt", cwd: directory },
    paths: ["src/a.txt"],
  };
  assert.deepEqual(permissionOf(call, { agent: "stub", directory }), {
    action: "run",
    subject: "cat src/a.txt",
    preview: "cat src/a.txt",
  });
});

test("the rules must allow every path of a call, also those of its locations and its input (H4)", (t) => {
  const { directory, outside } = makeFolders(t);
  const [inside, target] = ["src/a.txt", `${outside}/b.txt`];
  // The input of Codex for a patch that renames a file, and the metadata of opencode for one.
  const codex = {
    changes: [{ path: inside, kind: { type: "update", move_path: target }, diff: "" }],
  };
  const opencode = {
    filepath: inside,
    files: [{ filePath: inside, type: "move", movePath: target }],
  };
  const diffs = [{ path: inside, before: null, after: "x" }];
  const calls: Partial<CallUpdate>[] = [
    { kind: "edit", paths: [inside, target] },
    { kind: "delete", paths: [inside, "src/b.txt", target] },
    { kind: "move", paths: [inside], input: { path: inside, new_path: target } },
    { kind: "move", paths: [inside], input: { destination: target } },
    { kind: "edit", paths: [inside], input: codex },
    { kind: "edit", diffs, paths: [inside], input: codex },
    { kind: "edit", diffs, input: opencode },
    { kind: "edit", diffs, paths: [inside, target] },
    { kind: "edit", paths: [inside], input: { notebook_path: target } },
    { kind: "read", paths: [inside, target] },
  ];
  for (const call of calls) {
    assert.equal(decide({ id: "1", ...call }, { directory }), "deny", JSON.stringify(call));
  }
  const move: CallUpdate = { id: "1", kind: "move", paths: [inside, "src/b.txt"] };
  assert.equal(decide(move, { directory }), "allow");
  assert.equal(decide({ ...move, paths: [inside, ".env"] }, { directory }), "ask");
  const rules: PermissionRule[] = [{ action: "change", pattern: "src/b.txt", effect: "deny" }];
  assert.equal(decide(move, { directory, rules }), "deny");
});

test("`~` in a path of a hosted agent is the home directory (H4)", (t) => {
  const { directory } = makeFolders(t);
  const rules: PermissionRule[] = [
    { action: "read", pattern: `${realpathSync(homedir())}/notes/**`, effect: "allow" },
  ];
  const read = (path: string): PermissionEffect =>
    decide({ id: "1", kind: "read", paths: [path] }, { directory, rules, mode: "ask" });
  assert.deepEqual(["~/.ssh/id_rsa", "~", "~/notes/a.txt", "./~/a.txt", "~a/b"].map(read), [
    "deny",
    "deny",
    "allow",
    "allow",
    "allow",
  ]);
  const command: CallUpdate = {
    id: "1",
    kind: "execute",
    input: { command: "ls", cwd: "~/notes" },
  };
  const { path } = permissionOf(command, { agent: "stub", directory });
  assert.equal(path, join(realpathSync(homedir()), "notes"));
});

/** Creates a session's directory with links, and a folder outside of it. */
function makeFolders(t: TestContext): { directory: string; outside: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-call-paths-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const [directory, outside] = [join(root, "project"), join(root, "outside")];
  mkdirSync(join(directory, "src/deep"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(directory, ".env"), "");
  writeFileSync(join(directory, "src/a.txt"), "");
  writeFileSync(join(outside, "a.txt"), "");
  symlinkSync("../outside", join(directory, "out"));
  symlinkSync("../outside/missing.txt", join(directory, "broken"));
  symlinkSync("src/deep", join(directory, "deep"));
  symlinkSync(".env", join(directory, "key"));
  symlinkSync("loop", join(directory, "loop"));
  return { directory, outside };
}

/** Returns the strictest decision about the requests of a call. */
function decide(
  call: CallUpdate,
  options: { directory: string; rules?: readonly PermissionRule[]; mode?: SessionMode },
): PermissionEffect {
  const { directory, rules = [], mode = "acceptEdits" } = options;
  const requests = [permissionOf(call, { agent: "stub", directory }), ...filesOf(call, directory)];
  const all = [...defaultRules(), ...rules];
  const effects = requests.map((request) => decidePermission(all, request, { directory, mode }));
  return (["deny", "ask"] as const).find((effect) => effects.includes(effect)) ?? "allow";
}
