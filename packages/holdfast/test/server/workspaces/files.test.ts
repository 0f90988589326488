import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { openTestServer } from "../security/test-server.ts";

test("files are found by words of their path, without ignored ones and without following links", async (t) => {
  const testServer = await openTestServer(t);
  const { url, owner, folder } = testServer;
  const directory = join(folder, "a");
  mkdirSync(join(directory, "src/deep"), { recursive: true });
  mkdirSync(join(directory, "node_modules"), { recursive: true });
  writeFileSync(join(directory, ".gitignore"), "*.log\n");
  for (const name of ["src/Main.ts", "src/deep/main.test.ts", "x.log", "node_modules/main.ts"]) {
    writeFileSync(join(directory, name), "");
  }
  symlinkSync(folder, join(directory, "src/out"));
  const { workspaces } = connect({ url, token: owner });
  assert.deepEqual(await workspaces.files(directory, { search: "MAIN" }), {
    items: ["src/Main.ts", "src/deep/main.test.ts"],
    isComplete: true,
  });
  assert.deepEqual(await workspaces.files(directory, { search: "deep main" }), {
    items: ["src/deep/main.test.ts"],
    isComplete: true,
  });
  assert.deepEqual(await workspaces.files(directory, { limit: 2 }), {
    items: [".gitignore", "src/Main.ts"],
    isComplete: false,
  });
  assert.deepEqual((await workspaces.files(directory, { search: "out" })).items, ["src/out"]);
});

test("file names are hidden from observers and from tokens for other directories", async (t) => {
  const testServer = await openTestServer(t);
  const { url, folder } = testServer;
  const [a, b] = [join(folder, "a"), join(folder, "b")];
  const clientOf = async (role: "observe" | "propose") =>
    connect({ url, token: (await testServer.token(role, [a])).secret }).workspaces;
  const observer = await clientOf("observe");
  const limited = await clientOf("propose");
  await assert.rejects(() => observer.files(a), { code: "forbidden" });
  await assert.rejects(() => limited.files(b), { code: "forbidden" });
  await assert.rejects(() => limited.files(join(a, "../b")), { code: "forbidden" });
  await assert.doesNotReject(() => limited.files(a));
});
