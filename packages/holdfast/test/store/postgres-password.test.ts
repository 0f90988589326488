import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { DatabaseError } from "pg";
import { findPassword } from "../../src/store/postgres/password-file.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { temporaryFolder } from "../agent/tools/workbench.ts";
import { queryOnce, sharedPostgres } from "../support/postgres.ts";
import { waitFor } from "../support/wait-for.ts";

test("a password in the password file opens the store without a warning, and a missing one is explained", async (t) => {
  const server = await sharedPostgres();
  t.after(() => server.stop());
  const url = await server.createDatabase();
  const database = new URL(url).pathname.slice(1);
  const role = `${database}_guest`;
  await queryOnce(url, `CREATE ROLE ${role} LOGIN PASSWORD 'a:b\\c'`);
  await queryOnce(url, `GRANT CREATE ON DATABASE ${database} TO ${role}`);
  const [hba] = await queryOnce<{ hba_file: string }>(url, "SHOW hba_file");
  const rules = readFileSync(hba?.hba_file ?? "", "utf8");
  writeFileSync(hba?.hba_file ?? "", `host all ${role} 127.0.0.1/32 scram-sha-256\n${rules}`);
  await queryOnce(url, "SELECT pg_reload_conf()");
  const asGuest = (password: string): string =>
    Object.assign(new URL(url), { username: role, password }).href;
  await waitFor(() => queryOnce(asGuest("wrong"), "SELECT").then(() => false, isRefused), {
    describe: "the server to ask the role for its password",
  });

  const file = join(temporaryFolder(t), "passwords");
  process.env["PGPASSFILE"] = file;
  const warnings: string[] = [];
  process.on("warning", ({ message }) => warnings.push(message));
  const guest = asGuest("");
  const where = `${new URL(url).host}:${database}:${role}`;

  await assert.rejects(openPostgresStore({ url: guest }), {
    code: "storeInvalid",
    message: `the database asks for the password of ${role}, and there is none; set PGPASSWORD, or add this line to ${file}: ${where}:PASSWORD`,
  });
  writeFileSync(file, `# comment\nelsewhere:*:*:*:wrong\n${where}:a\\:b\\\\c\n`);
  chmodSync(file, 0o640);
  await assert.rejects(openPostgresStore({ url: guest }), {
    code: "storeInvalid",
    message: `other users can read the password file ${file}, so it is not used; run: chmod 600 ${file}`,
  });
  chmodSync(file, 0o600);
  await (await openPostgresStore({ url: guest })).close();
  await turn();
  assert.deepEqual(warnings, []);
});

function isRefused(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "28P01";
}

test("the first line that matches host, port, database and user has the password", () => {
  const target = { host: "db", port: 5432, database: "holdfast", user: "me" };
  const find = (...lines: string[]): string | null => findPassword(lines.join("\r\n"), target);
  assert.equal(find("db:5433:*:*:1", "db:5432:other:me:2", "*:*:*:me:3", "*:*:*:*:4"), "3");
  assert.equal(
    find("#db:5432:holdfast:me:1", "db:5432:holdfast:me:", "db::5432:holdfast:me:2"),
    null,
  );
  assert.equal(find("db:5432:hold\\fast:me:1", "db:5432:holdfast:me:p:q\\\\\\:r"), "p:q\\:r");
});
