import type { Runtime } from "../runtime/runtime.ts";

type Records = Pick<Runtime["store"], "records">;
type StoredRecord = Awaited<ReturnType<Records["records"]>>[number];

const pageSize = 500;

/** Reads all records of a kind, in order of id, page by page. */
export async function* allRecords(records: Records, kind: string): AsyncGenerator<StoredRecord> {
  let after: string | null = null;
  for (;;) {
    const page: readonly StoredRecord[] = await records.records(kind, { after, limit: pageSize });
    yield* page;
    after = page.at(-1)?.id ?? null;
    if (page.length < pageSize) return;
  }
}
