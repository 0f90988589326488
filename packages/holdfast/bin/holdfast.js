#!/usr/bin/env node
// Runs the command line under Node 24 or later: this Node, or the one that npm installed with the
// dependencies. An old Node must be able to print the message below, so this file uses old syntax
// and imports nothing before the version check.
const major = Number(process.versions.node.split(".")[0]);
if (major >= 24) {
  // Caches compiled code in the folder for temporary files: later starts take a third of the time.
  (await import("node:module")).enableCompileCache();
  const cli = await import("../src/cli/program.ts").catch(printMissingPackage);
  if (cli !== null) process.exitCode = await cli.runCli(process.argv.slice(2));
} else if (major < 20) {
  printOldNode();
} else {
  const { runElsewhere } = await import("./run-elsewhere.js");
  if (!runElsewhere(process.argv.slice(2))) printOldNode();
}

function printOldNode() {
  console.error(
    "holdfast: oldNode: Holdfast needs Node 24 or later, and this is Node " +
      process.version +
      "; install Node 24, or run npm install if this is a clone",
  );
  process.exitCode = 1;
}

/** @param {NodeJS.ErrnoException} error */
function printMissingPackage(error) {
  const isMissing = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  if (!isMissing) throw error;
  const reason = error.message.split("\n")[0];
  console.error(`holdfast: notInstalled: ${reason}; run npm install in the clone`);
  process.exitCode = 1;
  return null;
}
