import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { needsSandbox } from "../../support/needs-sandbox.ts";
import { waitFor } from "../../support/wait-for.ts";
import { isAlive, openHostedWorld } from "./world.ts";

test(
  "a hosted agent in the sandbox sees its own folder and the directory, and nothing else of the home",
  needsSandbox,
  async (t) => {
    // The sandbox has its own /tmp, so the home directory must be elsewhere to show that it is hidden.
    const root = realpathSync(mkdtempSync("/var/tmp/holdfast-home-"));
    const acp = { sandbox: "required", folders: ["stub"] };
    const world = await openHostedWorld(t, { root, acp });
    const { directory, home } = world;
    const key = join(root, ".ssh", "id_ed25519");
    const token = join(root, ".local", "share", "holdfast", "token");
    for (const file of [key, token]) {
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, "secret");
    }
    writeFileSync(join(home, "sign-in"), "own");
    writeFileSync(join(directory, "code"), "code");
    const answer = async (line: string): Promise<string | null> => {
      const promptId = line.replaceAll(/\W/g, "_");
      await world.prompt(promptId, line);
      const { ended, text } = await world.ended(promptId);
      assert.equal(ended, "completed", text ?? "");
      return text;
    };
    assert.equal(await answer(`read ${join(home, "sign-in")}`), "own");
    assert.equal(await answer(`read ${join(directory, "code")}`), "code");
    assert.equal(await answer(`write ${join(directory, "new")}`), "written");
    for (const file of [key, token, join(root, ".config", "holdfast", "config.jsonc")]) {
      assert.equal(await answer(`read ${file}`), "ENOENT", file);
    }
    const shell = join(root, ".bashrc");
    assert.equal(await answer(`write ${shell}`), "written", "only in the sandbox");
    assert.ok(!existsSync(shell) && existsSync(join(directory, "new")));
    assert.equal(await answer("write /usr/holdfast-escape"), "EROFS");
    assert.equal(await answer(`write /proc/${process.pid}/oom_score_adj`), "ENOENT");
    await answer("leave");
  },
);

test("a hosted agent's children end with it, even those that have left its process group", async (t) => {
  const world = await openHostedWorld(t);
  await world.prompt("p1", "leave\nsay done");
  await world.ended("p1");
  const [child] = world.lines("children").map(Number);
  assert.ok(child !== undefined && isAlive(child));
  for (const pid of world.pids()) process.kill(pid, "SIGKILL");
  await waitFor(() => !isAlive(child), { describe: "the end of the child" });
});

test("folders of a hosted agent outside of the home are an error", async (t) => {
  const world = await openHostedWorld(t, { acp: { sandbox: "auto", folders: ["../other"] } });
  await world.prompt("p1", "say x");
  const { ended, text } = await world.ended("p1");
  assert.notEqual(ended, "completed");
  assert.match(text ?? "", /folders/);
});
