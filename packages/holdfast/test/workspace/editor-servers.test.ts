import assert from "node:assert/strict";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createEditorServers } from "../../src/workspace/editor-servers.ts";
import type { EditorServer } from "../../src/workspace/editor-servers.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

const server: EditorServer = {
  name: "files",
  command: "npx",
  args: ["-y", "files@1"],
  env: { TOKEN: "one-long-secret", NODE_OPTIONS: "--no-warnings" },
};

function open(t: { after(work: () => void): void }) {
  const file = join(scratchFolder(t, "editor-servers"), "editor-servers.json");
  const servers = createEditorServers(file);
  const offer = async (
    sent: readonly EditorServer[],
    options: { consents?: readonly string[]; client?: string; directory?: string } = {},
  ) => {
    const { consents = [], client = "zed", directory = "/project" } = options;
    return servers.offer(directory, { client, servers: sent, consents });
  };
  const names = async (directory = "/project"): Promise<readonly string[]> => [
    ...(await servers.of(directory)).servers.keys(),
  ];
  const consent = async (sent: EditorServer): Promise<void> => {
    const { items } = await offer([sent]);
    await offer([sent], { consents: items.map(({ digest }) => digest) });
  };
  return { file, servers, offer, names, consent };
}

test("a server of an editor is used only after consent, and only in that directory", async (t) => {
  const { file, servers, offer, names } = open(t);
  const first = await offer([server]);
  const [item] = first.items;
  assert.deepEqual(
    { ...item, digest: "" },
    {
      name: "files",
      command: ["npx", "-y", "files@1"],
      digest: "",
      status: "needsConsent",
      variables: ["TOKEN", "NODE_OPTIONS=--no-warnings"],
    },
  );
  assert.equal(first.hasChanged, false);
  assert.deepEqual(await names(), []);
  const second = await offer([server], { consents: [item?.digest ?? ""] });
  assert.deepEqual([second.items[0]?.status, second.hasChanged], ["used", true]);
  const used = await servers.of("/project");
  assert.deepEqual(used.servers.get("files"), {
    type: "stdio",
    command: ["npx", "-y", "files@1"],
    env: server.env,
    cwd: "/project",
    timeout: null,
    optional: true,
  });
  assert.deepEqual(used.secrets, ["one-long-secret"]);
  assert.deepEqual(await names("/other"), []);
  assert.equal((await offer([server], { directory: "/other" })).items[0]?.status, "needsConsent");
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("a changed name, command, argument or variable needs consent again", async (t) => {
  const { offer, names, consent } = open(t);
  await consent(server);
  const changed: readonly EditorServer[] = [
    { ...server, name: "other" },
    { ...server, command: "bunx" },
    { ...server, args: ["-y", "files@2"] },
    { ...server, args: ["-y files@1"] },
    { ...server, env: { ...server.env, LD_PRELOAD: "./x.so" } },
    { ...server, env: { ...server.env, NODE_OPTIONS: "--require=./x.js" } },
  ];
  for (const each of changed) {
    assert.equal((await offer([each])).items[0]?.status, "needsConsent", JSON.stringify(each));
    assert.deepEqual(await names(), []);
  }
  const rotated = { ...server, env: { ...server.env, TOKEN: "another-long-secret" } };
  assert.equal((await offer([rotated])).items[0]?.status, "used");
});

test("a consent to a server that was not sent is not stored", async (t) => {
  const { offer } = open(t);
  const { items } = await offer([server]);
  await offer([], { consents: items.map(({ digest }) => digest) });
  assert.equal((await offer([server])).items[0]?.status, "needsConsent");
});

test("each editor replaces only its own servers", async (t) => {
  const { offer, names, consent } = open(t);
  await consent(server);
  const other = { ...server, name: "other" };
  const { items } = await offer([other], { client: "emacs" });
  await offer([other], { client: "emacs", consents: items.map(({ digest }) => digest) });
  assert.deepEqual((await names()).toSorted(), ["files", "other"]);
  assert.equal((await offer([])).hasChanged, true);
  assert.deepEqual(await names(), ["other"]);
});

test("a consent file that another user could have written grants nothing", async (t) => {
  const { file, names, consent } = open(t);
  await consent(server);
  assert.deepEqual(await names(), ["files"]);
  chmodSync(file, 0o666);
  assert.deepEqual(await names(), []);
  assert.ok(readFileSync(file, "utf8").includes("files@1"));
});

test("a name that tools cannot have is changed, and a second server with the same name is dropped", async (t) => {
  const { offer } = open(t);
  const sent = [
    { ...server, name: "My Files!" },
    { ...server, name: "My-Files-", command: "second" },
    { ...server, name: "../" },
  ];
  const { items } = await offer(sent);
  assert.deepEqual(
    items.map(({ name, command }) => [name, command[0]]),
    [
      ["My-Files-", "npx"],
      ["editor", "npx"],
    ],
  );
});
