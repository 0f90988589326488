import { z } from "zod";
import { allRecords } from "../all-records.ts";
import type { Records } from "./token-record.ts";

/**
 * Kind of the records with times of last use. They are separate from tokens, so that writing one cannot undo a
 * revocation.
 */
const kind = "tokenUse";
const useRecord = z.object({ at: z.number() });

export async function storeUse(
  records: Records,
  { tokenId, at }: { tokenId: string; at: number },
): Promise<void> {
  const found = await records.record(kind, tokenId);
  if (found !== null && (useRecord.safeParse(found.value).data?.at ?? 0) >= at) return;
  // Ignore a conflict: another node has just stored a time of last use.
  await records.putRecord({ kind, id: tokenId, value: { at }, version: found?.version ?? null });
}

/** Returns the stored time of last use of each token, by token id. */
export async function storedUses(records: Records): Promise<ReadonlyMap<string, number>> {
  const uses = new Map<string, number>();
  for await (const { id, value } of allRecords(records, kind)) {
    const { data } = useRecord.safeParse(value);
    if (data !== undefined) uses.set(id, data.at);
  }
  return uses;
}
