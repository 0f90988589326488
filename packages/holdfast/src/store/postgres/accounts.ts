import type { Account, AccountChange } from "../../kernel/account.ts";
import type { Queryable } from "./connection.ts";
import type { Database } from "./database.ts";
import { toJsonb } from "./json.ts";
import { storable } from "./lane-read.ts";

/** An account with its version. A change is written only if the version is still the same. */
export interface VersionedAccount {
  readonly account: Account;
  readonly version: number;
}

/** Reads those of the accounts that exist. */
export async function readAccounts(
  database: Database,
  ids: readonly string[],
): Promise<readonly Account[]> {
  const rows = await database.rows<AccountRow>(selectAccounts(ids));
  return rows.map((row) => accountOf(row).account);
}

/**
 * Reads the existing accounts with their versions, inside a transaction. Rows are not locked: `writeAccount` compares
 * the version.
 */
export async function readVersions(
  connection: Queryable,
  ids: readonly string[],
): Promise<readonly VersionedAccount[]> {
  const { rows } = await connection.query<AccountRow>(selectAccounts(ids));
  return rows.map(accountOf);
}

/**
 * Writes a change. Returns false if another process has changed the account since it was read. Tokens and cost that
 * another process has only added to the account do not count as a change.
 */
export async function writeAccount(
  connection: Queryable,
  write: { change: AccountChange; version: number | null },
): Promise<boolean> {
  const { change, version } = write;
  const { account, charge, isChargeOnly } = change;
  if (version === null) return insertAccount(connection, account);
  const { inputTokens, outputTokens, cost } = charge;
  const added = [account.id, inputTokens, outputTokens, cost];
  const { rowCount } = await connection.query(
    isChargeOnly
      ? {
          name: "charge-account",
          text: `
            UPDATE accounts SET input_tokens = input_tokens + $2,
              output_tokens = output_tokens + $3, cost = cost + $4
            WHERE id = $1`,
          values: added,
        }
      : {
          name: "change-account",
          text: `
            UPDATE accounts SET input_tokens = input_tokens + $2,
              output_tokens = output_tokens + $3, cost = cost + $4,
              account = $5, version = version + 1
            WHERE id = $1 AND version = $6`,
          values: [...added, toJsonb(account), version],
        },
  );
  return rowCount === 1;
}

async function insertAccount(connection: Queryable, account: Account): Promise<boolean> {
  const { inputTokens, outputTokens, cost } = account.spent;
  const { rowCount } = await connection.query({
    name: "insert-account",
    text: `
      INSERT INTO accounts (id, version, input_tokens, output_tokens, cost, account)
      VALUES ($1, 1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    values: [account.id, inputTokens, outputTokens, cost, toJsonb(account)],
  });
  return rowCount === 1;
}

interface AccountRow {
  readonly version: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number;
  readonly account: Account;
}

function selectAccounts(ids: readonly string[]) {
  return {
    name: "read-accounts",
    text: `
      SELECT version, input_tokens, output_tokens, cost, account
      FROM accounts WHERE id = ANY ($1::text[])`,
    values: [ids.map(storable)],
  };
}

/**
 * Builds an account from its row. Spending is in separate columns, because a charge does not update the `account`
 * column.
 */
function accountOf(row: AccountRow): VersionedAccount {
  const { version, account, input_tokens: inputTokens, output_tokens: outputTokens, cost } = row;
  return { version, account: { ...account, spent: { inputTokens, outputTokens, cost } } };
}
