import type { Store, StoredRecord } from "./store.ts";

/**
 * Changes a record. If another request or process writes the record meanwhile, reads it again and repeats the change.
 * `change` gets the record, or null if there is none, and returns the new value; null leaves the record as it is.
 * Returns the stored value, or null.
 */
export async function updateRecord<Value>(
  records: Pick<Store, "record" | "putRecord">,
  { kind, id }: { readonly kind: string; readonly id: string },
  change: (found: StoredRecord | null) => Value | null,
): Promise<Value | null> {
  for (;;) {
    const found = await records.record(kind, id);
    const value = change(found);
    if (value === null) return null;
    const version = found?.version ?? null;
    const written = await records.putRecord({ kind, id, value, version });
    if (written.status === "stored") return value;
  }
}
