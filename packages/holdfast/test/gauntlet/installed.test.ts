import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { installed } from "../../../../gauntlet/targets/installed.ts";

// Installs the program of another project from npm, with a mock of npm that works or fails as needed.

let scratch = "";
const before = { PATH: process.env["PATH"], HOLDFAST_PEERS: process.env["HOLDFAST_PEERS"] };

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "installed-"));
  mkdirSync(join(scratch, "bin"));
  process.env["HOLDFAST_PEERS"] = join(scratch, "peers");
  process.env["PATH"] = `${join(scratch, "bin")}:${before.PATH}`;
});

afterEach(() => {
  Object.assign(process.env, before);
  if (before.HOLDFAST_PEERS === undefined) delete process.env["HOLDFAST_PEERS"];
  rmSync(scratch, { recursive: true, force: true });
});

/** The package is the last argument, and the folder the one before it. */
function standIn(body: string): void {
  const file = join(scratch, "bin/npm");
  const script = `#!/bin/sh
echo called >> ${join(scratch, "calls")}
for word; do folder=$package; package=$word; done
program() { mkdir -p $folder/node_modules/$1; printf '#!/bin/sh\\n%s\\n' "$2" > $folder/node_modules/$1/run; chmod +x $folder/node_modules/$1/run; }
${body}
`;
  writeFileSync(file, script);
  chmodSync(file, 0o755);
}

function fetchTool(packages: readonly string[], progress: string[] = []): Promise<string> {
  return installed({
    name: "tool 1.0",
    packages: packages.map((name) => ({ package: `${name}@1.0`, program: `${name}/run` })),
    progress: (message) => progress.push(message),
  });
}

function calls(): number {
  const file = join(scratch, "calls");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

function peers(): string[] {
  return readdirSync(join(scratch, "peers"));
}

test("a program is downloaded once, even by two processes at the same time", async () => {
  standIn("sleep 0.2; program tool 'exit 0'");
  const wanted = join(scratch, "peers/tool-1.0/node_modules/tool/run");
  const both = await Promise.all([fetchTool(["tool"]), fetchTool(["tool"])]);
  assert.deepEqual(both, [wanted, wanted]);
  assert.equal(await fetchTool(["tool"]), wanted);
  assert.deepEqual({ calls: calls(), peers: peers() }, { calls: 1, peers: ["tool-1.0"] });
});

test("an incomplete download and a broken link are downloaded again", async () => {
  standIn("program tool 'exit 0'");
  mkdirSync(join(scratch, "peers"));
  symlinkSync("/nowhere", join(scratch, "peers/tool-1.0"));
  // No process has the first id. The second id is of a process that ends soon and is waited for.
  mkdirSync(join(scratch, "peers/tool-1.0.99999999"));
  const other = spawn("sleep", ["0.1"]);
  mkdirSync(join(scratch, `peers/tool-1.0.${other.pid}`));
  const program = await fetchTool(["tool"]);
  assert.deepEqual(
    { there: existsSync(program), peers: peers() },
    { there: true, peers: ["tool-1.0"] },
  );
  rmSync(program);
  assert.equal(await fetchTool(["tool"]), program);
});

test("the first package that runs on this machine is used", async () => {
  standIn(`case $package in
  alien@*) echo "npm error code EBADPLATFORM" >&2; exit 1;;
  quick@*) program quick 'exit 132';;
  plain@*) program plain 'exit 0';;
esac`);
  const program = await fetchTool(["alien", "quick", "plain"]);
  assert.equal(program, join(scratch, "peers/tool-1.0/node_modules/plain/run"));
});

test("a failed download reports the reason and leaves nothing behind", async () => {
  standIn(`echo "npm error code ENOTFOUND" >&2; exit 1`);
  await assert.rejects(fetchTool(["tool"]), {
    message: "tool@1.0 could not be downloaded: npm's registry cannot be reached (code ENOTFOUND)",
  });
  await assert.rejects(fetchTool([]), {
    message: `tool 1.0 is not available for ${process.platform}-${process.arch}`,
  });
  standIn("program tool 'exit 1'");
  await assert.rejects(fetchTool(["tool"]), {
    message: `tool 1.0 has no program that runs on this ${process.platform}-${process.arch}`,
  });
  assert.deepEqual(peers(), []);
});
