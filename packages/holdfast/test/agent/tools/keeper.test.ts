import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { waitFor } from "../../support/wait-for.ts";
import { isAlive } from "../hosted/world.ts";

const skip = existsSync("/proc/self/environ") ? false : "the helper shell finds processes in /proc";
const keeper = join(import.meta.dirname, "../../../src/agent/tools/keeper.ts");

test("R2 a marked process that appears only at the third search is killed", { skip }, async (t) => {
  const folder = scratchFolder(t, "keeper");
  const mark = `HOLDFAST_TEST_MARK=${randomUUID()}`;
  const file = join(folder, "pid");
  // The helper shell pauses with this program instead of `sleep`. The second pause starts a marked process, which waits.
  const pause = `#!/bin/sh
echo pause >> "${folder}/pauses"
if [ "$(wc -l < "${folder}/pauses")" -eq 2 ]; then
  ${mark} sh -c 'echo $$ > "${file}.new"; mv "${file}.new" "${file}"; kill -s STOP $$' > /dev/null &
  until [ -e "${file}" ]; do /bin/sleep 0.01; done
fi
`;
  writeFileSync(join(folder, "sleep"), pause, { mode: 0o755 });
  const start = `(await import(process.argv[1])).startKeeper(process.argv[2])`;
  const words = ["--input-type=module", "-e", start, keeper, mark];
  const program = spawn(process.execPath, words, {
    stdio: "inherit",
    env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` },
  });
  const [code] = await once(program, "exit");
  assert.equal(code, 0);
  await waitFor(() => existsSync(file), { describe: "the start of the process" });
  const pid = Number(readFileSync(file, "utf8"));
  t.after(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  await waitFor(() => !isAlive(pid), { describe: "the end of the process" });
});
