import type { DatabaseSync } from "node:sqlite";
import type { Account } from "../../kernel/account.ts";
import { text } from "./row.ts";

export interface Accounts {
  /** Reads those of the accounts that exist. */
  read(ids: readonly string[]): Account[];
  write(account: Account): void;
}

export function prepareAccounts(database: DatabaseSync): Accounts {
  const select = prepareAccountReads(database);
  const save = database.prepare(
    `INSERT INTO accounts (id, account) VALUES (?, ?)
     ON CONFLICT (id) DO UPDATE SET account = excluded.account`,
  );
  return {
    read: select,
    write: (account) => void save.run(account.id, JSON.stringify(account)),
  };
}

export function prepareAccountReads(database: DatabaseSync): Accounts["read"] {
  const select = database.prepare(
    "SELECT account FROM accounts WHERE id IN (SELECT value FROM json_each(?))",
  );
  return (ids) =>
    select.all(JSON.stringify(ids)).map((row): Account => JSON.parse(text(row, "account")));
}
