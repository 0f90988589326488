import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { text } from "node:stream/consumers";

const bootstrap = join(import.meta.dirname, "../bootstrap.mjs");

test("arguments, output and exit code pass through, after a line that names the Node in use", async () => {
  const program = "console.log(process.argv.slice(1).join('|')); process.exitCode = 7";
  const child = spawn(process.execPath, [bootstrap, "-e", program, "--", "a b", "--c=d"]);
  const [output, notes, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  assert.deepEqual(
    { output, notes, code },
    { output: "a b|--c=d\n", notes: `holdfast: Node ${process.version}\n`, code: 7 },
  );
});

test("a signal is passed to the script, which decides the exit code", async () => {
  const program =
    "setInterval(() => {}, 1e6); process.on('SIGTERM', () => process.exit(9)); console.log('ready')";
  const child = spawn(process.execPath, [bootstrap, "-e", program]);
  let output = "";
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.endsWith("ready\n")) child.kill("SIGTERM");
  }
  const code = child.exitCode ?? (await once(child, "exit"))[0];
  assert.equal(code, 9);
});
