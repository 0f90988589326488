import assert from "node:assert/strict";
import { test } from "node:test";
import { commandForServer, storeWords } from "../../src/compose/stores.ts";

const place = { environment: {}, home: "/users/ann", url: "http://127.0.0.1:4747" };
const usual = "/users/ann/.local/share/holdfast";

function command(store: string, dataFolder = usual): string {
  return commandForServer("holdfast link", { ...place, store, dataFolder });
}

test("a command that a server prints connects to that server, and its words are quoted for a shell", () => {
  assert.equal(command(`${usual}/holdfast.db`), "holdfast link");
  assert.equal(command("/srv/a b.db", "/srv"), "holdfast link --store '/srv/a b.db'");
  const database = "postgres://ann@db/holdfast?sslmode=verify-full&sslrootcert=/ca.pem";
  assert.equal(command(database), `holdfast link --store '${database}'`);
  // With --store, a command would not find a server with another data folder, and would start a second server.
  assert.equal(
    command(database, "/srv/node a"),
    `HOLDFAST_TOKEN="$(cat '/srv/node a/token')" holdfast link --server http://127.0.0.1:4747`,
  );
});

test("a command that a server prints for another shell works without the database password", () => {
  assert.equal(
    command("postgres://ann:secret@db/holdfast"),
    `HOLDFAST_TOKEN="$(cat ${usual}/token)" holdfast link --server http://127.0.0.1:4747`,
  );
  const database = "postgres://ann@db/holdfast";
  const server = { ...place, environment: { HOLDFAST_STORE: database } };
  assert.equal(
    commandForServer("holdfast link", { ...server, store: database, dataFolder: usual }),
    `holdfast link --store ${database}`,
  );
});

test("a follow-up command in the same shell takes the database from HOLDFAST_STORE", () => {
  const store = "postgres://ann:secret@db/holdfast";
  assert.equal(storeWords(store, { ...place, environment: { HOLDFAST_STORE: store } }), "");
  assert.equal(
    storeWords("postgres://ann@db/other", { ...place, environment: { HOLDFAST_STORE: store } }),
    " --store postgres://ann@db/other",
  );
});
