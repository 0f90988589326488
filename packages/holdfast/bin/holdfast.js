#!/usr/bin/env node
// Runs the command line under Node 24 or later: the running one, or the one that npm has installed
// beside the dependencies. An old Node must get as far as the message below, so this file stays in
// old syntax and imports nothing before the check.
const major = Number(process.versions.node.split(".")[0]);
if (major >= 24) {
  // What has been compiled once is kept among the temporary files: it starts in a third of the time.
  (await import("node:module")).enableCompileCache();
  const cli = await import("../src/cli/program.ts").catch(sayWhatIsMissing);
  if (cli !== null) process.exitCode = await cli.runCli(process.argv.slice(2));
} else if (major < 20) {
  sayThatItIsOld();
} else {
  const { runElsewhere } = await import("./run-elsewhere.js");
  if (!runElsewhere(process.argv.slice(2))) sayThatItIsOld();
}

function sayThatItIsOld() {
  console.error(
    "holdfast: oldNode: Holdfast needs Node 24 or later, and this is Node " +
      process.version +
      "; install Node 24, or run npm install if this is a clone",
  );
  process.exitCode = 1;
}

/** @param {NodeJS.ErrnoException} error */
function sayWhatIsMissing(error) {
  const isMissing = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  if (!isMissing) throw error;
  const reason = error.message.split("\n")[0];
  console.error(`holdfast: notInstalled: ${reason}; run npm install in the clone`);
  process.exitCode = 1;
  return null;
}
