import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ReleaseError } from "./release-error.ts";

const packages = ["sdk", "holdfast", "model", "terminal", "web"].map((name) => `packages/${name}`);
const semver = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Record<string, string>;
}

/** Returns the version of the release, if all packages and the lock file agree on it. */
export function checkVersion(root: string): string {
  const { version = "" } = readManifest(root, "packages/holdfast");
  if (!semver.test(version)) {
    throw new ReleaseError(
      `packages/holdfast/package.json has the version "${version}". Write a version such as 1.2.3.`,
    );
  }
  const lock: { packages: Record<string, Manifest> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  for (const folder of packages) {
    expectVersion(`${folder}/package.json`, readManifest(root, folder), version);
    expectVersion(`package-lock.json, entry ${folder},`, lock.packages[folder] ?? {}, version);
  }
  // The gauntlet has no dependencies, so it is not a workspace and not in the lock file.
  expectVersion("gauntlet/package.json", readManifest(root, "gauntlet"), version);
  return version;
}

function expectVersion(place: string, manifest: Manifest, version: string): void {
  const fix = `Use the same version in all packages, then run: npm install --package-lock-only`;
  if (manifest.version !== version) {
    throw new ReleaseError(
      `${place} has the version ${manifest.version}, and packages/holdfast has ${version}. ${fix}`,
    );
  }
  for (const [name, wanted] of Object.entries(manifest.dependencies ?? {})) {
    if (!name.startsWith("@holdfast/") || wanted === version) continue;
    throw new ReleaseError(`${place} depends on ${name} ${wanted}, not on ${version}. ${fix}`);
  }
}

function readManifest(root: string, folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}
