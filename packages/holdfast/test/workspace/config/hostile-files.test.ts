import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openScene } from "./scene.ts";

const file = "project/holdfast.jsonc";

test("M6: a config that is huge, binary, not UTF-8, a folder or a pipe is refused, and nothing waits", async (t) => {
  const cases: [write: (scene: ReturnType<typeof openScene>) => void, message: string][] = [
    [
      (scene) => scene.write(file, `{}${" ".repeat(262_144)}`),
      "can't be read: it has 262146 bytes; the limit is 262144",
    ],
    [
      (scene) => scene.write(file, Buffer.from([123, 0, 125])),
      "is a binary file; it must be text in UTF-8",
    ],
    [
      (scene) => scene.write(file, Buffer.from("\uFEFF{}", "utf16le")),
      "is not text in UTF-8 but in UTF-16; save it as UTF-8",
    ],
    [
      (scene) => scene.write(file, Buffer.from([123, 0xff, 125])),
      "is not text in UTF-8; save it as UTF-8",
    ],
    [(scene) => mkdirSync(join(scene.root, file)), "can't be read: it is a folder, not a file"],
    [
      (scene) => execFileSync("mkfifo", [join(scene.root, file)]),
      "can't be read: it is not a regular file",
    ],
    [
      (scene) => symlinkSync("nowhere", join(scene.root, file)),
      "is a symbolic link that leads nowhere",
    ],
    [
      (scene) => symlinkSync("holdfast.jsonc", join(scene.root, file)),
      "can't be read: it is a symbolic link that leads nowhere, or was put there a moment ago",
    ],
    [
      (scene) => {
        scene.write("outside.jsonc", '{"model": "a/b"}');
        symlinkSync("../outside.jsonc", join(scene.root, file));
      },
      "is a symbolic link that leads out of the project; put the file itself here",
    ],
    [
      (scene) => symlinkSync("/dev/zero", join(scene.root, file)),
      "is a symbolic link that leads out of the project; put the file itself here",
    ],
  ];
  for (const [write, message] of cases) {
    const scene = openScene(t);
    write(scene);
    assert.deepEqual(await scene.errors(), [`${file}: ${message}`]);
  }
});

test("M6: a config that may not be read says so", async (t) => {
  const scene = openScene(t);
  scene.write(file, "{}");
  chmodSync(scene.root, 0o755);
  chmodSync(join(scene.root, file), 0o000);
  const errors = await asNobody(() => scene.errors());
  assert.deepEqual(errors, [`${file}: can't be read: access is denied`]);
});

/** Without the rights of root, who may read everything. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("a link inside the project is followed, and so is one of the user's own to anywhere", async (t) => {
  const scene = openScene(t);
  scene.write("project/shared/config.jsonc", '{"recovery": "settle"}');
  scene.write("dotfiles/holdfast.jsonc", '{"smallModel": "a/user"}');
  symlinkSync("shared/config.jsonc", join(scene.root, file));
  mkdirSync(scene.userFolder);
  symlinkSync("../dotfiles/holdfast.jsonc", join(scene.userFolder, "config.jsonc"));
  const { config, files } = await scene.read();
  assert.deepEqual([config.recovery, config.smallModel], ["settle", "a/user"]);
  const real = ["dotfiles/holdfast.jsonc", "project/shared/config.jsonc"];
  assert.deepEqual(
    real.filter((path) => files.includes(join(scene.root, path))),
    real,
  );
});

test("folders of agents and commands may not lead out of the project, be files, or be endless", async (t) => {
  const scene = openScene(t);
  scene.write("outside/agents/spy.md", "spy");
  scene.write("project/.holdfast/commands", "a file");
  symlinkSync("../../outside/agents", join(scene.directory, ".holdfast/agents"));
  assert.deepEqual(await scene.errors(), [
    "project/.holdfast/agents: is a symbolic link that leads out of the project",
    "project/.holdfast/commands: is a file; it must be a folder",
  ]);

  const full = openScene(t);
  for (let index = 0; index <= 200; index += 1) full.write(`user/commands/c${index}.md`, "x");
  assert.deepEqual(await full.errors(), ["user/commands: has more than 200 files"]);
});

test("a single file of a folder may not lead out either, and does not hide the others", async (t) => {
  const scene = openScene(t);
  scene.write("secret", "-----BEGIN KEY-----");
  scene.write("project/.holdfast/commands/fine.md", "fine");
  symlinkSync("../../../secret", join(scene.directory, ".holdfast/commands/leak.md"));
  assert.deepEqual(await scene.errors(), [
    "project/.holdfast/commands/leak.md: is a symbolic link that leads out of the project; put the file itself here",
  ]);
});

test("names of every object in a config mean nothing but themselves", async (t) => {
  const scene = openScene(t);
  scene.write(
    "user/config.jsonc",
    `{"agents": {"constructor": {"prompt": "x"}, "toString": {}},
      "mcp": {"s": {"command": ["x"], "env": {"__proto__": "y", "constructor": "z"}}},
      "__proto__": {"model": "a/b"}}`,
  );
  assert.deepEqual(await scene.warnings(), [
    "user/config.jsonc:2:47: mcp.s.env.__proto__: is not known and has no effect",
    "user/config.jsonc:3:7: __proto__: is not known and has no effect",
  ]);
  const { config } = await scene.read();
  assert.deepEqual([...config.agents.keys()], ["constructor", "toString"]);
  assert.equal(config.model, null);
  assert.equal(Object.getPrototypeOf(config), Object.prototype);
  scene.write("project/holdfast.jsonc", { agent: "hasOwnProperty" });
  assert.equal((await scene.errors()).length, 1);
});

test("a config that is wrong in thousands of places is read quickly, and the first are told", async (t) => {
  const scene = openScene(t);
  scene.write(
    file,
    many((index) => `"k${index}":1`),
  );
  assert.equal((await scene.warnings()).length, 20);
  scene.write(
    file,
    many(() => `"k":1`),
  );
  assert.equal((await scene.errors()).length, 20);
  scene.write(file, `{"permissions": [${"5,".repeat(100_000)}]}`);
  assert.ok((await scene.errors()).length <= 20);
  scene.write(file, `{"agents": ${many((index) => `"k${index}":{}`)}}`);
  assert.deepEqual(await scene.errors(), [
    "project/holdfast.jsonc:1:12: agents: must have at most 200 entries",
  ]);
});

function many(entry: (index: number) => string): string {
  return `{${Array.from({ length: 15_000 }, (_, index) => entry(index)).join(",\n")}}`;
}
