import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

interface Listed {
  readonly directory: string;
  readonly parent: string | null;
  readonly places: readonly string[];
  readonly items: readonly { readonly name: string; readonly isRepository: boolean }[];
}

async function list({ ask }: TestServer, token: string, query: object): Promise<Listed> {
  const { status, text } = await ask("GET", `/v1/folders?${pairs(query)}`, { token });
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

function pairs(query: object): string {
  return new URLSearchParams(Object.entries(query)).toString();
}

test("folders are listed by name, with git repositories marked and found", async (t) => {
  const server = await openTestServer(t);
  const { folder, owner } = server;
  for (const path of [
    "code/app/.git",
    "code/app/parts/.git",
    "code/.hidden",
    "code/deep/x/y/.git",
  ]) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  const directory = join(folder, "code");
  const listed = await list(server, owner, { directory });
  assert.deepEqual([listed.directory, listed.parent], [directory, folder]);
  assert.deepEqual(
    listed.items.map(({ name, isRepository }) => [name, isRepository]),
    [
      ["app", true],
      ["deep", false],
    ],
  );
  const found = await list(server, owner, { directory, repositories: true });
  assert.deepEqual(
    found.items.map(({ name }) => name),
    ["app", "y"],
  );
});

test("a token for some directories lists only these, whatever path or link it names", async (t) => {
  const server = await openTestServer(t);
  const { folder, ask, token } = server;
  mkdirSync(join(folder, "a/inside"), { recursive: true });
  mkdirSync(join(folder, "b/secret/.git"), { recursive: true });
  symlinkSync(join(folder, "b"), join(folder, "a/out"));
  symlinkSync(join(folder, "a/inside"), join(folder, "a/link"));
  const { secret } = await token("prompt", [join(folder, "a")]);
  const own = await list(server, secret, {});
  assert.deepEqual(own.places, [join(folder, "a")]);
  assert.equal(own.parent, null, "the folder above is not named");
  assert.deepEqual(
    own.items.map(({ name }) => name),
    ["inside", "link"],
  );
  for (const path of ["b", "a/../b", "a/out", "b/secret", "", "missing"]) {
    for (const repositories of [false, true]) {
      const query = pairs({ directory: join(folder, path), repositories });
      const answer = await ask("GET", `/v1/folders?${query}`, { token: secret });
      assert.deepEqual([path, answer.status], [path, 403]);
      assert.ok(!answer.text.includes("secret"), answer.text);
    }
  }
  const search = await list(server, secret, { repositories: true });
  assert.deepEqual(search.items, []);
});

test("tokens that only observe or propose list no folders", async (t) => {
  const { ask, token } = await openTestServer(t);
  for (const role of ["observe", "propose"] as const) {
    const { secret } = await token(role);
    const answer = await ask("GET", "/v1/folders", { token: secret });
    assert.deepEqual([role, answer.status], [role, 403]);
  }
});
