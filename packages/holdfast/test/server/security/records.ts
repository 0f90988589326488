import type { Records } from "../../../src/server/security/token-record.ts";

type Stored = NonNullable<Awaited<ReturnType<Records["record"]>>>;

/** Records in memory. */
export function memoryRecords(): Records {
  const stored = new Map<string, Stored>();
  return {
    record: (kind, id) => Promise.resolve(stored.get(keyOf(kind, id)) ?? null),
    records: (kind, { after, limit }) => {
      const all = [...stored.values()].filter(
        (record) => record.kind === kind && (after === null || record.id > after),
      );
      return Promise.resolve(all.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit));
    },
    putRecord: ({ kind, id, value, version }) => {
      const record = stored.get(keyOf(kind, id)) ?? null;
      if ((record?.version ?? null) !== version) {
        return Promise.resolve({ status: "conflict", record });
      }
      const next = { kind, id, version: (version ?? 0) + 1, value, updatedAt: 0 };
      stored.set(keyOf(kind, id), next);
      return Promise.resolve({ status: "stored", record: next });
    },
    removeRecord: ({ kind, id }) => Promise.resolve(stored.delete(keyOf(kind, id))),
  };
}

function keyOf(kind: string, id: string): string {
  return `${kind}/${id}`;
}
