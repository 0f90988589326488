import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { editTool } from "../../../src/agent/tools/edit.ts";
import { globTool } from "../../../src/agent/tools/glob.ts";
import { grepTool } from "../../../src/agent/tools/grep.ts";
import { listTool } from "../../../src/agent/tools/list.ts";
import { follow, locate, shown } from "../../../src/agent/tools/paths.ts";
import { readTool } from "../../../src/agent/tools/read.ts";
import { createShellTool } from "../../../src/agent/tools/shell.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import { writeTool } from "../../../src/agent/tools/write.ts";
import { temporaryFolder, workbench } from "./workbench.ts";

test("paths inside the directory resolve correctly, even if the file does not exist", async (t) => {
  const { directory, context, path } = workbench(t);
  mkdirSync(path("src"));
  writeFileSync(path("src/a.ts"), "");
  const found = (real: string, exists: boolean): object => ({
    status: "found",
    path: join(directory, real),
    exists,
    subject: real === "" ? "." : real,
    allowed: true,
  });
  assert.deepEqual(
    [
      await locate("src/a.ts", context),
      await locate("src/../src//a.ts", context),
      await locate(path("src/a.ts"), context),
      await locate(".", context),
      await locate("new/deep/b.ts", context),
      await locate("-rf", context),
      await locate("two\nlines", context),
    ],
    [
      found("src/a.ts", true),
      found("src/a.ts", true),
      found("src/a.ts", true),
      found("", true),
      found("new/deep/b.ts", false),
      found("-rf", false),
      found("two\nlines", false),
    ],
  );
});

test("neither dots nor links lead out of the directory", async (t) => {
  const { context, directory, path } = workbench(t);
  const outside = temporaryFolder(t);
  writeFileSync(join(outside, "secret"), "x");
  symlinkSync(outside, path("folder"));
  symlinkSync(join(outside, "secret"), path("file"));
  symlinkSync(join(outside, "not-there"), path("dangling"));
  symlinkSync("dangling", path("twice"));
  symlinkSync("../..", path("up"));
  // A relative link continues from its real folder, not from the folder of another link that leads to it.
  mkdirSync(path("a/b"), { recursive: true });
  mkdirSync(path("flat"));
  symlinkSync("../../flat", path("a/b/short"));
  symlinkSync("../../new", path("flat/hanging"));
  const escapes = [
    "../x",
    "/etc/passwd",
    `${directory}-sibling/x`,
    "folder/secret",
    "folder/new/file",
    "file",
    "dangling",
    "dangling/below",
    "twice",
    "up/x",
    "a/b/short/hanging",
  ];
  const places = await Promise.all(escapes.map((escape) => locate(escape, context)));
  assert.deepEqual(
    places,
    escapes.map((escape) => ({
      status: "refused",
      message: `${escape} is outside of the session's directory`,
    })),
  );
});

test("no tool reads, writes or runs outside of the directory", async (t) => {
  const { use, context } = workbench(t);
  const outside = temporaryFolder(t);
  const secret = join(outside, "secret");
  writeFileSync(secret, "secret");
  assert.deepEqual(
    [
      await use(readTool, { path: secret }),
      await use(writeTool, { path: secret, content: "x" }),
      await use(editTool, { path: secret, edits: [{ old: "secret", new: "x" }] }),
      await use(listTool, { path: outside }),
      await use(globTool, { path: outside, pattern: "*" }),
      await use(grepTool, { path: outside, pattern: "secret" }),
      await use(createShellTool(), { path: outside, command: "cat secret" }),
    ],
    [secret, secret, secret, outside, outside, outside, outside].map(refusedAt),
  );
  assert.equal(readFileSync(secret, "utf8"), "secret");
  // The permission request shows nothing of the file either.
  assert.deepEqual(await writeTool.permission({ path: secret, content: "x" }, context), {
    action: "change",
    subject: secret,
    preview: `Change ${secret}`,
  });
});

test("a link inside the directory is followed, and rules apply to its target", async (t) => {
  const { context, directory, path } = workbench(t);
  writeFileSync(path(".env"), "");
  symlinkSync(".env", path("notes.txt"));
  symlinkSync("later/made", path("dangling"));
  assert.deepEqual(
    [await follow("notes.txt", context), await follow("dangling", context)],
    [
      {
        status: "found",
        path: join(directory, ".env"),
        exists: true,
        subject: ".env",
        allowed: true,
      },
      {
        status: "found",
        path: join(directory, "later/made"),
        exists: false,
        subject: "later/made",
        allowed: true,
      },
    ],
  );
});

test("a name is found in any Unicode normalization, unless two names match", async (t) => {
  const { context, path } = workbench(t);
  const composed = "caf\u00e9.txt";
  const apart = composed.normalize("NFD");
  const found = async (name: string): Promise<string> => {
    const place = await follow(name, context);
    return place.status === "found" ? `${place.exists} ${place.subject}` : place.message;
  };
  assert.equal(await found(composed), `false ${composed}`);
  writeFileSync(path(apart), "");
  assert.equal(await found(composed), `true ${apart}`);
  writeFileSync(path(composed), "");
  assert.deepEqual(
    [await found(composed), await found(apart)],
    [`true ${composed}`, `true ${apart}`],
  );
});

test("a directory that the settings allow can be used, and is shown with its full path", async (t) => {
  const outside = temporaryFolder(t);
  const { context } = workbench(t, {
    settings: { ...defaultToolSettings, allowedPaths: [outside] },
  });
  const path = join(outside, "x");
  assert.deepEqual(await locate(path, context), {
    status: "found",
    path,
    exists: false,
    subject: path,
    allowed: true,
  });
});

test("hostile names are refused with a reason", async (t) => {
  const { context, path } = workbench(t);
  symlinkSync("circle", path("circle"));
  writeFileSync(path("file"), "");
  const messages = await Promise.all(
    ["a\0b", "", " ", "x".repeat(5000), "y".repeat(300), "circle", "file/below"].map(
      async (name) => {
        const place = await locate(name, context);
        return place.status === "refused" ? place.message.replace(/y{300}/, "Y") : place;
      },
    ),
  );
  assert.deepEqual(messages, [
    "a path cannot contain a NUL character",
    "the path is empty",
    "the path is empty",
    "the path is too long",
    "Y: the name is too long",
    "circle: it is a broken symbolic link, or was replaced by a link just now",
    "file/below: a part of the path is a file, not a folder",
  ]);
});

test("if the directory was deleted or replaced by a link, each tool fails with a clear message", async (t) => {
  const { use, directory } = workbench(t);
  rmSync(directory, { recursive: true });
  const gone = {
    status: "failed",
    output: `the session's directory ${directory} no longer exists`,
  };
  const tryAll = async (): Promise<unknown[]> => [
    await use(readTool, { path: "a" }),
    await use(writeTool, { path: "a", content: "x" }),
    await use(listTool, {}),
    await use(createShellTool(), { command: "true" }),
  ];
  assert.deepEqual(await tryAll(), [gone, gone, gone, gone]);
  const elsewhere = temporaryFolder(t);
  symlinkSync(elsewhere, directory);
  assert.deepEqual(await tryAll(), [gone, gone, gone, gone]);
  rmSync(directory);
  renameSync(elsewhere, directory);
  assert.deepEqual(await use(listTool, {}), {
    status: "completed",
    output: "(the folder is empty)",
    extra: { truncated: false },
  });
});

test("a hostile name is shown so that it cannot be mistaken for another one", () => {
  const names = ["a b.txt", "a\nb", "\u001b[31mred", " a", "\u202etxt.exe", 'say "hi"', "é👩‍💻"];
  assert.deepEqual(names.map(shown), [
    "a b.txt",
    '"a\\nb"',
    '"\\u001b[31mred"',
    '" a"',
    '"\\u202etxt.exe"',
    'say "hi"',
    "é👩‍💻",
  ]);
});

function refusedAt(path: string): object {
  return { status: "failed", output: `${path} is outside of the session's directory` };
}

test("`~` is the home directory, and `./~` is a file of the directory", async (t) => {
  const { directory, context, path } = workbench(t);
  const home = realpathSync(homedir());
  const subjects = await Promise.all(
    ["~", "~/notes/a.txt", "./~/a.txt", "~a", "src/~/a.txt"].map(async (input) => {
      const place = await follow(input, context);
      return place.status === "found" ? place.subject : place.message;
    }),
  );
  assert.deepEqual(subjects, [home, join(home, "notes/a.txt"), "~/a.txt", "~a", "src/~/a.txt"]);
  assert.deepEqual(await locate("~/notes/a.txt", context), {
    status: "refused",
    message: "~/notes/a.txt is outside of the session's directory",
  });
  const allowed = { directory, settings: { ...context.settings, allowedPaths: [home] } };
  const inAllowed = await locate("~/notes/a.txt", allowed);
  assert.equal(inAllowed.status, "found");
  await writeTool.run({ path: "~/holdfast-test.txt", content: "x" }, context);
  assert.equal(existsSync(path("~")), false);
});
