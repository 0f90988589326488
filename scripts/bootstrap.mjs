// The door of every npm script: `node scripts/bootstrap.mjs <file> [arguments]` runs that file under
// Node 24, with the dependencies that package-lock.json asks for. An old Node must get as far as the
// message below, so this file stays in old syntax and imports nothing before the check.
const major = Number(process.versions.node.split(".")[0]);
if (major < 20) {
  console.error(
    "holdfast: this is Node " + process.version + "; Node 20 or later is needed (24 is best).",
  );
  process.exit(1);
}
const { launch } = await import("./bootstrap/launch.mjs");
await launch(process.argv.slice(2));
