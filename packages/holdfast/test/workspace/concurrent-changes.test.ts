import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createTrust } from "../../src/workspace/config/trust.ts";
import { createEditorServers } from "../../src/workspace/editor-servers.ts";
import { createCredentials } from "../../src/workspace/providers/credentials.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

// Each pair of objects stands for two processes: the objects share nothing but the file.

test("two processes that connect providers at the same time keep both", async (t) => {
  const file = join(scratchFolder(t, "concurrent"), "credentials.json");
  const [one, two] = [createCredentials(file), createCredentials(file)];
  await Promise.all([
    one.put("anthropic", { status: "usual", at: 1 }),
    two.put("openai", { status: "usual", at: 2 }),
  ]);
  assert.deepEqual([...(await one.read()).keys()].toSorted(), ["anthropic", "openai"]);
});

test("two processes that trust directories at the same time keep both", async (t) => {
  const file = join(scratchFolder(t, "concurrent"), "trust.json");
  const [one, two] = [createTrust(file), createTrust(file)];
  await Promise.all([one.set("/a", "digest of a"), two.set("/b", "digest of b")]);
  const trusted = await Promise.all(["/a", "/b"].map((directory) => one.get(directory)));
  assert.deepEqual(
    trusted.map(({ digest }) => digest),
    ["digest of a", "digest of b"],
  );
});

test("two processes that store the consent to an editor's server at the same time keep both", async (t) => {
  const file = join(scratchFolder(t, "concurrent"), "editor-servers.json");
  const [one, two] = [createEditorServers(file), createEditorServers(file)];
  const servers = [{ name: "files", command: "npx", args: [], env: {} }];
  const { items } = await one.offer("/a", { client: "zed", servers, consents: [] });
  const consents = items.map(({ digest }) => digest);
  await Promise.all([
    one.offer("/a", { client: "zed", servers, consents }),
    two.offer("/b", { client: "zed", servers, consents }),
  ]);
  const used = await Promise.all(["/a", "/b"].map((directory) => one.of(directory)));
  assert.deepEqual(
    used.map((each) => [...each.servers.keys()]),
    [["files"], ["files"]],
  );
});
