import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createConfigs } from "../../../src/workspace/config/configs.ts";
import type { Configs } from "../../../src/workspace/config/configs.ts";
import { createTrust } from "../../../src/workspace/config/trust.ts";
import { openConfigFixture } from "./config-fixture.ts";
import type { ConfigFixture } from "./config-fixture.ts";

function open(t: TestContext): { fixture: ConfigFixture; configs: Configs; trustFile: string } {
  const fixture = openConfigFixture(t);
  const trustFile = join(fixture.root, "data/trust.json");
  const { userFolder } = fixture;
  const trust = createTrust(trustFile);
  return { fixture, trustFile, configs: createConfigs({ userFolder, environment: {}, trust }) };
}

const power = '{ "mcp": { "s": { "command": ["x"] } } }';

test("without any config no parser is loaded, and the result is the same", async (t) => {
  const { fixture, configs } = open(t);
  assert.deepEqual(await configs.read(fixture.directory), await fixture.read());
  fixture.write("project/holdfast.jsonc", "{");
  await assert.rejects(configs.read(fixture.directory), /a closing } is missing/);
});

test("a file is saved completely, if it has not changed since it was read", async (t) => {
  const { fixture, configs } = open(t);
  const place = { scope: "project", directory: fixture.directory } as const;
  const file = join(fixture.directory, "holdfast.jsonc");
  assert.deepEqual(await configs.text(place), { file, text: null, digest: null });
  const saved = await configs.save(place, { text: "\uFEFF// one\n{}", digest: null });
  assert.equal(saved.status, "saved");
  const read = await configs.text(place);
  assert.deepEqual(saved, { status: "saved", file, digest: read.digest });
  assert.equal(read.text, "\uFEFF// one\n{}");

  // Another program has written the file first: a new file, and another text.
  const { digest } = read;
  assert.deepEqual(await configs.save(place, { text: "{}", digest: null }), {
    status: "stale",
    digest,
  });
  fixture.write("project/holdfast.jsonc", "// two\n{}");
  const now = (await configs.text(place)).digest;
  assert.deepEqual(await configs.save(place, { text: "{}", digest }), {
    status: "stale",
    digest: now,
  });
  assert.equal(readFileSync(file, "utf8"), "// two\n{}");
});

test("M6: an invalid config is not saved, and the errors are reported with their position", async (t) => {
  const { fixture, configs } = open(t);
  fixture.write("user/config.jsonc", "{}");
  const { digest } = await configs.text({ scope: "user" });
  const answer = await configs.save({ scope: "user" }, { text: '{\n "model": 5\n}', digest });
  assert.deepEqual(answer, {
    status: "bad",
    notices: [
      {
        severity: "error",
        file: join(fixture.userFolder, "config.jsonc"),
        line: 2,
        column: 11,
        key: "model",
        message: "must be a string in quotes, not a number",
      },
    ],
  });
  const huge = await configs.save({ scope: "user" }, { text: " ".repeat(262_145), digest });
  assert.equal(huge.status, "bad");
  assert.equal((await configs.text({ scope: "user" })).text, "{}");
});

test("the user's file is created with its folder, and a link to it stays a link", async (t) => {
  const { fixture, configs } = open(t);
  const file = join(fixture.userFolder, "config.jsonc");
  assert.equal(
    (await configs.save({ scope: "user" }, { text: "{}", digest: null })).status,
    "saved",
  );
  assert.equal(readFileSync(file, "utf8"), "{}");

  const linked = open(t);
  linked.fixture.write("dotfiles/holdfast.jsonc", "{}");
  mkdirSync(linked.fixture.userFolder);
  const link = join(linked.fixture.userFolder, "config.jsonc");
  symlinkSync("../dotfiles/holdfast.jsonc", link);
  const { digest } = await linked.configs.text({ scope: "user" });
  await linked.configs.save({ scope: "user" }, { text: "{ }", digest });
  assert.equal(lstatSync(link).isSymbolicLink(), true);
  assert.equal(readFileSync(join(linked.fixture.root, "dotfiles/holdfast.jsonc"), "utf8"), "{ }");
});

test("nothing is written through a link that leads out of the project", async (t) => {
  const { fixture, configs } = open(t);
  fixture.write("outside", "{}");
  symlinkSync("../outside", join(fixture.directory, "holdfast.jsonc"));
  const place = { scope: "project", directory: fixture.directory } as const;
  await assert.rejects(
    configs.save(place, { text: "{ }", digest: null }),
    /outside of the project/,
  );
  await assert.rejects(configs.text(place), /outside of the project/);
  assert.equal(readFileSync(join(fixture.root, "outside"), "utf8"), "{}");
});

test("saved privileged settings are trusted, unless untrusted ones existed before", async (t) => {
  const { fixture, configs } = open(t);
  const place = { scope: "project", directory: fixture.directory } as const;
  await configs.save(place, { text: power, digest: null });
  assert.equal((await configs.read(fixture.directory)).powers.trusted, true);

  const hostile = open(t);
  const other = { scope: "project", directory: hostile.fixture.directory } as const;
  hostile.fixture.write("project/holdfast.jsonc", power);
  const { digest } = await hostile.configs.text(other);
  const changed = power.replace("{", '{ "model": "a/b",');
  assert.equal((await hostile.configs.save(other, { text: changed, digest })).status, "saved");
  const { powers, config } = await hostile.configs.read(other.directory);
  assert.equal(powers.trusted, false);
  assert.equal(config.mcp.size, 0);
});

test("settings are trusted by the digest of the version that was shown, and only that version", async (t) => {
  const { fixture, configs, trustFile } = open(t);
  const { directory } = fixture;
  fixture.write("project/holdfast.jsonc", power);
  const { powers } = await configs.read(directory);
  fixture.write("project/holdfast.jsonc", power.replace("x", "y"));
  const now = (await configs.read(directory)).powers.digest;
  assert.deepEqual(await configs.trust(directory, powers.digest), { status: "stale", digest: now });
  assert.equal(existsSync(trustFile), false);

  assert.deepEqual(await configs.trust(directory, now), { status: "trusted" });
  assert.equal((await configs.read(directory)).powers.trusted, true);
  assert.equal(statSync(trustFile).mode & 0o777, 0o600);
  assert.equal(statSync(join(trustFile, "..")).mode & 0o777, 0o700);
  assert.deepEqual(await configs.trust(directory, null), { status: "trusted" });
  assert.equal((await configs.read(directory)).powers.trusted, false);
});

test("a trust file that others can write, or that is invalid, trusts nothing and is reported", async (t) => {
  const { fixture, configs, trustFile } = open(t);
  const { directory } = fixture;
  fixture.write("project/holdfast.jsonc", power);
  await configs.trust(directory, (await configs.read(directory)).powers.digest);
  const problem = async (): Promise<string | undefined> => {
    const { powers, notices } = await configs.read(directory);
    assert.equal(powers.trusted, false);
    return fixture.lines(notices).at(-1);
  };
  const unused = "data/trust.json is ignored, so nothing is trusted";
  chmodSync(trustFile, 0o666);
  assert.match(
    (await problem()) ?? "",
    /other users can write it; check its content, then run `chmod 600 .*`/,
  );
  for (const text of ["{", "[]", '{"directories": 5}']) {
    fixture.write("data/trust.json", text);
    chmodSync(trustFile, 0o600);
    assert.match((await problem()) ?? "", new RegExp(`^${unused}: .*remove it$`));
  }
});

test("concurrent changes of trust are not lost", async (t) => {
  const { trustFile } = open(t);
  const trust = createTrust(trustFile);
  const names = Array.from({ length: 20 }, (_, index) => `/code/${index}`);
  await Promise.all(names.map((name) => trust.set(name, `digest of ${name}`)));
  for (const name of names) {
    assert.deepEqual(await trust.get(name), { digest: `digest of ${name}`, problem: null });
  }
});
