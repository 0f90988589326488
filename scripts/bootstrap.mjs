// Entry point of every npm script: `node scripts/bootstrap.mjs <file> [arguments]` runs the file
// under Node 24, with the dependencies of package-lock.json. An old Node must be able to print the
// message below, so this file uses old syntax and imports nothing before the check.
const major = Number(process.versions.node.split(".")[0]);
if (major < 20) {
  console.error(
    "holdfast: this is Node " + process.version + "; Node 20 or later is needed (24 is best).",
  );
  process.exit(1);
}
const { launch } = await import("./bootstrap/launch.mjs");
await launch(process.argv.slice(2));
