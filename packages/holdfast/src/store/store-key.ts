import { randomBytes } from "node:crypto";
import type { Store } from "./store.ts";

const kind = "secret";
const id = "store";
const length = 32;

/**
 * Returns the secret key that all processes on a store share: 32 random bytes, created on the first call. Only a role
 * that can read the store's tables can read the key.
 */
export async function readStoreKey(
  records: Pick<Store, "record" | "putRecord">,
): Promise<Uint8Array> {
  const found = await records.record(kind, id);
  if (found !== null) return keyOf(found.value);
  const value = randomBytes(length).toString("base64");
  const { record } = await records.putRecord({ kind, id, value, version: null });
  return keyOf(record?.value);
}

function keyOf(value: unknown): Uint8Array {
  const key = Buffer.from(typeof value === "string" ? value : "", "base64");
  if (key.length === length) return key;
  throw new Error(
    "the store's secret is damaged; delete the record of kind `secret` with the id `store` from the database and restart",
  );
}
