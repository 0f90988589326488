#!/usr/bin/env node
// An old version of Node must be able to print the message below, so nothing is imported before the version check.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 12)) {
  await import("../command.ts");
} else {
  console.error(
    "holdfast-gauntlet: this is Node " + process.version + "; install Node 22.12 or later",
  );
  process.exitCode = 2;
}
