import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openConfigFixture } from "./config-fixture.ts";

test("instructions have a total size limit, and the first ones are kept", async (t) => {
  const fixture = openConfigFixture(t);
  const names = Array.from({ length: 6 }, (_, index) => `${index}.md`);
  for (const name of names) fixture.write(`project/${name}`, "x".repeat(60_000));
  fixture.write("project/holdfast.jsonc", { instructions: names });
  const { config, notices } = await fixture.read();
  assert.equal(config.instructions.length, 4);
  assert.deepEqual(fixture.lines(notices), [
    "project/holdfast.jsonc:1:46: instructions[4]: is ignored: all instructions together have more than 262144 bytes",
    "project/holdfast.jsonc:1:53: instructions[5]: is ignored: all instructions together have more than 262144 bytes",
  ]);
});

test("instructions of a project cannot lead out of it, trusted or not", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("secret.txt", "secret");
  fixture.write("project/holdfast.jsonc", {
    instructions: ["../secret.txt", `${fixture.root}/secret.txt`, "~/x", "none.md", "link.md"],
  });
  symlinkSync("../secret.txt", join(fixture.directory, "link.md"));
  const { config, notices } = await fixture.read();
  assert.deepEqual(config.instructions, []);
  const out = "is outside of the project; if it is your file, name it in your own config";
  assert.deepEqual(
    fixture.lines(notices).map((line) => line.replace(/^\S+ /, "")),
    [
      `instructions[0]: ${out}`,
      `instructions[1]: ${out}`,
      `instructions[2]: ${out}`,
      "instructions[3]: is ignored: project/none.md does not exist",
      "instructions[4]: is ignored: project/link.md is a symbolic link to a place outside of the project; put the file itself here",
    ],
  );
});
