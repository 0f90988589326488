import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createCatalogue } from "../../packages/holdfast/src/agent/model/catalogue/catalogue.ts";
import { checkChangelog } from "../release/changelog.ts";
import { checkModels } from "../release/models.ts";
import { checkVersion } from "../release/version.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

test("a dry run builds, packs, installs and runs all packages, and keeps nothing", async () => {
  const before = readdirSync(root);
  const { stdout } = await run(
    process.execPath,
    ["scripts/release.ts", "--dry-run", "--today", "2026-11-16"],
    {
      cwd: root,
    },
  );
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(root, "packages/holdfast/package.json"), "utf8"),
  );
  const [first, changelog, models, ...rest] = stdout.trim().split("\n");
  assert.equal(first, `release: version: ${version} in every package and in package-lock.json`);
  assert.match(changelog ?? "", /^release: changelog: \S+ of \d{4}-\d\d-\d\d has \d+ entries/);
  assert.match(
    models ?? "",
    /^release: default models: anthropic\/\S+, openai\/\S+, google\/\S+ by/,
  );
  assert.deepEqual(rest, [
    "release: build: holdfast, @holdfast/sdk and holdfast-gauntlet",
    `release: pack: holdfast-sdk-${version}.tgz, holdfast-${version}.tgz, holdfast-gauntlet-${version}.tgz`,
    "release: install: the tarballs into an empty folder",
    "release: run: `holdfast --version` and one prompt with the demo agent",
    "release: run: `holdfast-gauntlet --version`",
    "release: dry run finished: nothing was published, tagged or kept",
  ]);
  assert.deepEqual(readdirSync(root), before);
});

test("a default model that has been shut down fails the release", () => {
  const model = { name: "", from: "", context: 1_000, output: 100 };
  const catalogue = createCatalogue({
    format: 1,
    source: "test",
    generated: "2026-11-02",
    models: {
      "claude-sonnet-4-5": { ...model, family: "claude-sonnet", endOfLife: "2026-11-30" },
      "gpt-5-sol": { ...model, family: "gpt-sol" },
    },
  });
  assert.equal(
    checkModels({ today: "2026-11-29", catalogue }),
    "anthropic/claude-sonnet-4-5, openai/gpt-5-sol by the catalogue of 2026-11-02",
  );
  assert.throws(
    () => checkModels({ today: "2026-11-30", catalogue }),
    /these default models have ended: anthropic\/claude-sonnet-4-5 \(2026-11-30\)\. Raise/,
  );
});

test("a package with another version, or on another SDK, fails the version check", () => {
  const names = ["sdk", "holdfast", "model", "terminal", "web", "gauntlet"];
  const versions = Object.fromEntries(names.map((name) => [name, "1.2.3"]));
  assert.equal(checkVersion(repositoryOf(versions)), "1.2.3");
  assert.throws(
    () => checkVersion(repositoryOf({ ...versions, holdfast: "next" })),
    /has the version "next". Write a version such as 1.2.3/,
  );
  assert.throws(
    () => checkVersion(repositoryOf({ ...versions, web: "1.2.2" })),
    /packages\/web\/package.json has the version 1.2.2, and packages\/holdfast has 1.2.3/,
  );
  assert.throws(
    () => checkVersion(repositoryOf({ ...versions, gauntlet: "1.2.2" })),
    /gauntlet\/package.json has the version 1.2.2, and packages\/holdfast has 1.2.3/,
  );
  assert.throws(
    () => checkVersion(repositoryOf(versions, { dependency: "1.0.0" })),
    /packages\/holdfast\/package.json depends on @holdfast\/sdk 1.0.0, not on 1.2.3/,
  );
  assert.throws(
    () => checkVersion(repositoryOf(versions, { locked: "1.0.0" })),
    /package-lock.json, entry packages\/sdk, has the version 1.0.0/,
  );
});

const released = "## [1.2.3] - 2026-11-16\n\n### Fixed\n\n- A bug\n";

for (const { name, text, message } of [
  { name: "no Unreleased", text: released, message: /must start with the section: ## \[Unrel/ },
  {
    name: "no section for the version",
    text: `## [Unreleased]\n${released.replace("1.2.3", "1.2.2")}`,
    message: /no section for 1.2.3. Add the heading: ## \[1.2.3\] - YYYY-MM-DD/,
  },
  {
    name: "no date",
    text: `## [Unreleased]\n${released.replace(" - 2026-11-16", "")}`,
    message: /gives 1.2.3 no valid date/,
  },
  {
    name: "an unknown group",
    text: `## [Unreleased]\n${released.replace("Fixed", "Improved")}`,
    message: /has the group "Improved". Use one of: Added, Changed/,
  },
  {
    name: "an older version first",
    text: `## [Unreleased]\n${released}${released.replace("1.2.3", "1.10.0")}`,
    message: /must list versions newest first: 1.10.0, 1.2.3/,
  },
  {
    name: "unreleased entries",
    text: `## [Unreleased]\n\n### Added\n\n- A feature\n\n${released}`,
    message: /has 1 entries under Unreleased. Choose the next version/,
  },
]) {
  test(`a changelog with ${name} fails the release`, () => {
    const folder = folderWith({ "CHANGELOG.md": `# Changelog\n\n${text}` });
    assert.throws(
      () => checkChangelog({ root: folder, version: "1.2.3", isDryRun: false }),
      message,
    );
  });
}

test("a dry run accepts unreleased entries", () => {
  const text = `## [Unreleased]\n\n### Added\n\n- A feature\n\n${released}`;
  assert.equal(
    checkChangelog({
      root: folderWith({ "CHANGELOG.md": text }),
      version: "1.2.3",
      isDryRun: true,
    }),
    "1.2.3 of 2026-11-16 has 1 entries, Unreleased has 1",
  );
});

function repositoryOf(
  versions: Record<string, string>,
  options: { dependency?: string; locked?: string } = {},
): string {
  const files: Record<string, string> = {};
  const locked: Record<string, object> = {};
  for (const [name, version] of Object.entries(versions)) {
    if (name === "gauntlet") {
      files["gauntlet/package.json"] = JSON.stringify({ version });
      continue;
    }
    const dependencies =
      name === "sdk" ? {} : { "@holdfast/sdk": options.dependency ?? versions["sdk"] };
    files[`packages/${name}/package.json`] = JSON.stringify({ version, dependencies });
    locked[`packages/${name}`] = { version: options.locked ?? version };
  }
  return folderWith({ ...files, "package-lock.json": JSON.stringify({ packages: locked }) });
}

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-release-test-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
