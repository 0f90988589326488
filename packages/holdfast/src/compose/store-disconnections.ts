import type { Store } from "../store/store.ts";
import type { Disconnections } from "../workspace/providers/shared-credentials.ts";

const kind = "providerDisconnected";
/** More than anybody has. */
const most = 1_000;

/** Kept in the store, as a record for each. */
export function storeDisconnections(store: Store): Disconnections {
  const put = async (id: string, at: number): Promise<void> => {
    for (;;) {
      const version = (await store.record(kind, id))?.version ?? null;
      const { status } = await store.putRecord({ kind, id, value: { at }, version });
      if (status === "stored") return;
    }
  };
  return {
    read: async () => {
      const records = await store.records(kind, { after: null, limit: most });
      return new Map(records.map(({ id, value }) => [id, timeOf(value)]));
    },
    put: async (name, at) => {
      if (at === null) await store.removeRecord({ kind, id: name });
      else await put(name, at);
    },
  };
}

/** What cannot be understood was disconnected, and stays so. */
function timeOf(value: unknown): number {
  const known = typeof value === "object" && value !== null && "at" in value ? value.at : null;
  return typeof known === "number" ? known : Infinity;
}
