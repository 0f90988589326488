import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openConfigFixture } from "./config-fixture.ts";

const file = "project/holdfast.jsonc";

test("M6: a config that is huge, binary, not UTF-8, a folder or a pipe is refused without blocking", async (t) => {
  const cases: [write: (fixture: ReturnType<typeof openConfigFixture>) => void, message: string][] =
    [
      [
        (fixture) => fixture.write(file, `{}${" ".repeat(262_144)}`),
        "cannot be read: it has 262146 bytes; the limit is 262144",
      ],
      [
        (fixture) => fixture.write(file, Buffer.from([123, 0, 125])),
        "is a binary file; it must be UTF-8 text",
      ],
      [
        (fixture) => fixture.write(file, Buffer.from("\uFEFF{}", "utf16le")),
        "is UTF-16 text; save it as UTF-8",
      ],
      [
        (fixture) => fixture.write(file, Buffer.from([123, 0xff, 125])),
        "is not UTF-8 text; save it as UTF-8",
      ],
      [
        (fixture) => mkdirSync(join(fixture.root, file)),
        "cannot be read: it is a folder, not a file",
      ],
      [
        (fixture) => execFileSync("mkfifo", [join(fixture.root, file)]),
        "cannot be read: it is not a regular file",
      ],
      [(fixture) => symlinkSync("nowhere", join(fixture.root, file)), "is a broken symbolic link"],
      [
        (fixture) => symlinkSync("holdfast.jsonc", join(fixture.root, file)),
        "cannot be read: it is a broken symbolic link, or was replaced by a link just now",
      ],
      [
        (fixture) => {
          fixture.write("outside.jsonc", '{"model": "a/b"}');
          symlinkSync("../outside.jsonc", join(fixture.root, file));
        },
        "is a symbolic link to a place outside of the project; put the file itself here",
      ],
      [
        (fixture) => symlinkSync("/dev/zero", join(fixture.root, file)),
        "is a symbolic link to a place outside of the project; put the file itself here",
      ],
    ];
  for (const [write, message] of cases) {
    const fixture = openConfigFixture(t);
    write(fixture);
    assert.deepEqual(await fixture.errors(), [`${file}: ${message}`]);
  }
});

test("M6: a config that cannot be read is reported", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write(file, "{}");
  chmodSync(fixture.root, 0o755);
  chmodSync(join(fixture.root, file), 0o000);
  const errors = await asNobody(() => fixture.errors());
  assert.deepEqual(errors, [`${file}: cannot be read: access is denied`]);
});

/** Run without the rights of root, who may read every file. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("a link inside the project is followed; a link of the user may lead anywhere", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("project/shared/config.jsonc", '{"recovery": "settle"}');
  fixture.write("dotfiles/holdfast.jsonc", '{"smallModel": "a/user"}');
  symlinkSync("shared/config.jsonc", join(fixture.root, file));
  mkdirSync(fixture.userFolder);
  symlinkSync("../dotfiles/holdfast.jsonc", join(fixture.userFolder, "config.jsonc"));
  const { config, files } = await fixture.read();
  assert.deepEqual([config.recovery, config.smallModel], ["settle", "a/user"]);
  const real = ["dotfiles/holdfast.jsonc", "project/shared/config.jsonc"];
  assert.deepEqual(
    real.filter((path) => files.includes(join(fixture.root, path))),
    real,
  );
});

test("folders of agents and commands may not lead out of the project, be files, or be endless", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("outside/agents/spy.md", "spy");
  fixture.write("project/.holdfast/commands", "a file");
  symlinkSync("../../outside/agents", join(fixture.directory, ".holdfast/agents"));
  assert.deepEqual(await fixture.errors(), [
    "project/.holdfast/agents: is a symbolic link to a place outside of the project",
    "project/.holdfast/commands: is a file; it must be a folder",
  ]);

  const full = openConfigFixture(t);
  for (let index = 0; index <= 200; index += 1) full.write(`user/commands/c${index}.md`, "x");
  assert.deepEqual(await full.errors(), ["user/commands: has more than 200 files"]);
});

test("a single file of a folder may not lead out of the project, and does not hide the others", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("secret", "-----BEGIN KEY-----");
  fixture.write("project/.holdfast/commands/fine.md", "fine");
  symlinkSync("../../../secret", join(fixture.directory, ".holdfast/commands/leak.md"));
  assert.deepEqual(await fixture.errors(), [
    "project/.holdfast/commands/leak.md: is a symbolic link to a place outside of the project; put the file itself here",
  ]);
});

test("names such as `constructor` in a config have no special meaning", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write(
    "user/config.jsonc",
    `{"agents": {"constructor": {"prompt": "x"}, "toString": {}},
      "mcp": {"s": {"command": ["x"], "env": {"__proto__": "y", "constructor": "z"}}},
      "__proto__": {"model": "a/b"}}`,
  );
  assert.deepEqual(await fixture.warnings(), [
    "user/config.jsonc:2:47: mcp.s.env.__proto__: is unknown and has no effect",
    "user/config.jsonc:3:7: __proto__: is unknown and has no effect",
  ]);
  const { config } = await fixture.read();
  assert.deepEqual([...config.agents.keys()], ["constructor", "toString"]);
  assert.equal(config.model, null);
  assert.equal(Object.getPrototypeOf(config), Object.prototype);
  fixture.write("project/holdfast.jsonc", { agent: "hasOwnProperty" });
  assert.equal((await fixture.errors()).length, 1);
});

test("a config with thousands of errors is read quickly, and the first errors are reported", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write(
    file,
    many((index) => `"k${index}":1`),
  );
  assert.equal((await fixture.warnings()).length, 20);
  fixture.write(
    file,
    many(() => `"k":1`),
  );
  assert.equal((await fixture.errors()).length, 20);
  fixture.write(file, `{"permissions": [${"5,".repeat(100_000)}]}`);
  assert.ok((await fixture.errors()).length <= 20);
  fixture.write(file, `{"agents": ${many((index) => `"k${index}":{}`)}}`);
  assert.deepEqual(await fixture.errors(), [
    "project/holdfast.jsonc:1:12: agents: must have at most 200 entries",
  ]);
});

function many(entry: (index: number) => string): string {
  return `{${Array.from({ length: 15_000 }, (_, index) => entry(index)).join(",\n")}}`;
}
