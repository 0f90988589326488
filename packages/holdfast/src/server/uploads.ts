import type { Runtime } from "../runtime/runtime.ts";
import { allRecords } from "./all-records.ts";
import type { Principal } from "./ports.ts";

type Store = Pick<
  Runtime["store"],
  "addUpload" | "upload" | "sweepUploads" | "record" | "records" | "putRecord" | "removeRecord"
>;

/**
 * Kind of the records that say which token uploaded a file. They are needed for tokens that are limited to some
 * directories: such a token sees only its own uploads.
 */
const kind = "uploader";

export async function addUpload(
  store: Store,
  principal: Principal,
  upload: Parameters<Store["addUpload"]>[0],
): Promise<void> {
  await store.addUpload(upload);
  const id = uploaderId(principal, upload.hash);
  if (id === null) return;
  const known = await store.record(kind, id);
  // Writing the record again resets its age. Ignore a conflict: another request has just done the same.
  await store.putRecord({ kind, id, value: {}, version: known?.version ?? null });
}

/** Reads an upload. Returns null if it does not exist, or if the principal may not see it. */
export async function readUpload(
  store: Store,
  principal: Principal,
  hash: string,
): ReturnType<Store["upload"]> {
  const id = uploaderId(principal, hash);
  if (id !== null && (await store.record(kind, id)) === null) return null;
  return store.upload(hash);
}

export async function sweepUploads(store: Store, { before }: { before: number }): Promise<number> {
  const count = await store.sweepUploads({ before });
  for await (const { id, updatedAt } of allRecords(store, kind)) {
    if (updatedAt < before) await store.removeRecord({ kind, id });
  }
  return count;
}

/**
 * Returns the id of the record which says that this token uploaded the file. Null if the principal may use every
 * directory: then it may read every upload, and no record is needed.
 */
function uploaderId({ directories, tokenId }: Principal, hash: string): string | null {
  return directories === null ? null : `${hash}:${tokenId ?? ""}`;
}
