import type { Runtime } from "../runtime/runtime.ts";
import { allRecords } from "./all-records.ts";
import type { Principal } from "./ports.ts";

type Store = Pick<
  Runtime["store"],
  "addUpload" | "upload" | "sweepUploads" | "record" | "records" | "putRecord" | "removeRecord"
>;

/** Who has uploaded what, of those who do not see everything: for the others it is not there. */
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
  // Written again it is younger; a conflict means that another write has just done that.
  await store.putRecord({ kind, id, value: {}, version: known?.version ?? null });
}

/** Null where it is not there, or is others' and none of the principal's business. */
export async function readUpload(
  store: Store,
  principal: Principal,
  hash: string,
): ReturnType<Store["upload"]> {
  const id = uploaderId(principal, hash);
  if (id !== null && (await store.record(kind, id)) === null) return null;
  return store.upload(hash);
}

export async function sweepUploads(store: Store, { before }: { before: number }): Promise<void> {
  await store.sweepUploads({ before });
  for await (const { id, updatedAt } of allRecords(store, kind)) {
    if (updatedAt < before) await store.removeRecord({ kind, id });
  }
}

/** Null for those who may see every session, and so what is on its way into one. */
function uploaderId({ directories, tokenId }: Principal, hash: string): string | null {
  return directories === null ? null : `${hash}:${tokenId ?? ""}`;
}
