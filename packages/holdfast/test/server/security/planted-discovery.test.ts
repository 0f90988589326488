import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { findServerClient } from "../../../src/compose/server-client.ts";
import { discoveryFile, prove, readDiscovery } from "../../../src/server/discovery.ts";
import { listen } from "../../../src/server/listen.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const ownerToken = `hf_0123456789ab_${"o".repeat(43)}`;
const plantedToken = `hf_ba9876543210_${"p".repeat(43)}`;

interface Fixture {
  readonly dataFolder: string;
  readonly repository: string;
  /** Content of the attacker's file. */
  readonly planted: string;
  /** Tokens that were sent to the attacker's server. */
  readonly seen: string[];
  readonly client: (store: string) => ReturnType<typeof findServerClient>;
}

/** The owner's data folder, and a repository with a planted server that can prove itself. */
async function openFixture(t: TestContext): Promise<Fixture> {
  const root = scratchFolder(t, "planted");
  const dataFolder = join(root, "data", "holdfast");
  const repository = join(root, "repository");
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  mkdirSync(repository, { mode: 0o700 });
  writeFileSync(join(dataFolder, "token"), ownerToken, { mode: 0o600 });
  const seen: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) seen.push(request.headers.authorization);
    const nonce = new URL(request.url ?? "", "http://x").searchParams.get("nonce") ?? "";
    response.end(JSON.stringify({ proof: prove("known", nonce), items: [] }));
  });
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  t.after(() => server.close());
  const planted = JSON.stringify({
    url: `http://127.0.0.1:${port}`,
    pid: process.pid,
    startedAt: 0,
    tokenFile: join(dataFolder, "token"),
    secret: "known",
  });
  const environment = { XDG_DATA_HOME: join(root, "data") };
  const client: Fixture["client"] = (store) =>
    findServerClient({ store, environment, home: root, patience: 0 });
  return { dataFolder, repository, planted, seen, client };
}

test("planted discovery file: for a store in a repository, the owner's token is sent to nobody", async (t) => {
  const { repository, planted, seen, client } = await openFixture(t);
  const store = join(repository, "holdfast.db");
  // As checked out by git, and as unpacked from an archive with its own modes.
  for (const mode of [0o644, 0o600]) {
    writeFileSync(`${store}.server.json`, planted);
    chmodSync(`${store}.server.json`, mode);
    const found = await client(store);
    await found?.holdfast.me().catch(() => {});
  }
  writeFileSync(join(repository, "token"), plantedToken, { mode: 0o600 });
  const fooled = await client(store);
  await fooled?.holdfast.me();
  assert.deepEqual(seen, [`Bearer ${plantedToken}`]);
});

test("planted discovery file: in the data folder it is used only if only the owner can write it", async (t) => {
  const { dataFolder, repository, planted, client } = await openFixture(t);
  const store = join(repository, "holdfast.db");
  const file = discoveryFile({ store, dataFolder });
  assert.equal(dirname(file), dataFolder);
  const isFound = async (): Promise<boolean> => (await client(store)) !== null;
  writeFileSync(file, planted, { mode: 0o600 });
  assert.equal(await isFound(), true);
  chmodSync(file, 0o644);
  assert.equal(await isFound(), false);
  chmodSync(file, 0o600);
  chmodSync(dataFolder, 0o777);
  assert.equal(await isFound(), false);
  chmodSync(dataFolder, 0o700);
  const linked = join(dataFolder, "linked.server.json");
  symlinkSync(file, linked);
  assert.equal(readDiscovery(linked), null);
});

test("planted discovery file: it cannot name a server on another machine", async (t) => {
  const { dataFolder, planted } = await openFixture(t);
  const file = join(dataFolder, "holdfast.db.server.json");
  const urls = [
    "http://127.0.0.1:1",
    "http://localhost:1",
    "http://[::1]:1",
    "http://192.0.2.1:1",
    "http://127.0.0.1.attacker.example:1",
    "http://attacker.example",
    "http://127.0.0.1@attacker.example",
  ];
  const found = urls.map((url) => {
    writeFileSync(file, JSON.stringify({ ...JSON.parse(planted), url }), { mode: 0o600 });
    return readDiscovery(file) !== null;
  });
  assert.deepEqual(found, [true, true, true, false, false, false, false]);
});
