import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./read-arguments.ts";
import { checkChangelog } from "./release/changelog.ts";
import { checkRepository } from "./release/repository.ts";
import { checkModels } from "./release/models.ts";
import { ReleaseError } from "./release/release-error.ts";
import { buildTarballs, tryTarballs } from "./release/tarballs.ts";
import { checkVersion } from "./release/version.ts";

const root = join(import.meta.dirname, "..");
const usage = `npm run release -- [--dry-run] [--today DATE]

Checks that the current commit can be released, builds and packs the packages, installs them into an empty
folder and sends a prompt. Keeps the tarballs in release/ and prints the commands that publish them.

  --dry-run       Keep nothing, and do not check the repository
  --today DATE    Check the ends of the default models for this day, such as 2026-11-16`;

// `--today` is for tests, which must not depend on the calendar.
const { values } = readArguments({
  usage,
  options: {
    "dry-run": { type: "boolean", default: false },
    today: { type: "string", default: new Date().toISOString().slice(0, 10) },
  },
});
const { "dry-run": isDryRun, today } = values;

try {
  const version = checkVersion(root);
  say(`version: ${version} in every package and in package-lock.json`);
  say(`changelog: ${checkChangelog({ root, version, isDryRun })}`);
  say(`default models: ${checkModels({ today })}`);
  if (!isDryRun) say(`repository: ${checkRepository(root, version)}`);
  const folder = join(root, isDryRun ? "node_modules/.holdfast-release" : "release");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const tarballs = await buildTarballs({ root, folder, say });
    await tryTarballs({ tarballs, version, say });
    if (isDryRun) say("dry run finished: nothing was published, tagged or kept");
    else printNextSteps(version, tarballs);
  } finally {
    if (isDryRun) rmSync(folder, { recursive: true, force: true });
  }
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

function say(line: string): void {
  console.log(`release: ${line}`);
}

function printNextSteps(version: string, tarballs: readonly string[]): void {
  say("ready. To publish, run:");
  console.log(`  git tag -a v${version} -m "Holdfast ${version}" && git push origin v${version}`);
  for (const tarball of tarballs) console.log(`  npm publish --access public ${tarball}`);
}
