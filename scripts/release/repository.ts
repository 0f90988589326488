import { execFileSync } from "node:child_process";
import { ReleaseError } from "./release-error.ts";

/** Checks that the working tree is clean and that no tag with this version exists. */
export function checkRepository(root: string, version: string): string {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changes = git("status", "--porcelain");
  if (changes !== "") {
    throw new ReleaseError(`the working tree has changes. Commit or stash them first:\n${changes}`);
  }
  if (git("tag", "--list", `v${version}`) !== "") {
    throw new ReleaseError(
      `the tag v${version} exists already. Choose a new version; RELEASING.md has the steps.`,
    );
  }
  return `clean, at ${git("rev-parse", "--short", "HEAD")}`;
}
