import { findForgotten, removeForgotten } from "../runtime/retention/forgotten-bodies.ts";
import { carryOut, planRetention } from "../runtime/retention/retention.ts";
import type { OldSession, RetentionPlan } from "../runtime/retention/retention.ts";
import { sweepUploads } from "../server/uploads.ts";
import type { StoreSize } from "../store/store.ts";
import { createConfigs } from "../workspace/config/configs.ts";
import { createTrust } from "../workspace/config/trust.ts";
import { uploadAge } from "./retention.ts";
import { configFolder, dataFolder, openExistingStore, openReader } from "./stores.ts";
import { join } from "node:path";

export interface TidyOptions {
  readonly store: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
}

/** What there is to do, or what was done. */
export interface Tidied {
  /** Session ids. */
  readonly archive: readonly string[];
  readonly remove: readonly string[];
  /** Of deleted sessions, and of no other. */
  readonly bodies: { readonly count: number; readonly bytes: number };
  readonly size: StoreSize;
}

/** Says what `tidy` would do, and changes nothing; also beside whoever owns the store. */
export async function planTidying(options: TidyOptions): Promise<Tidied> {
  const retention = await retentionOf(options);
  const reader = await openReader(options.store);
  try {
    const plan = await planRetention(reader, retention);
    const { bytes } = await findForgotten(reader);
    return { ...idsOf(plan), bodies: amount(bytes), size: await reader.size() };
  } finally {
    await reader.close();
  }
}

/** Does all of it at once, and gives the room back. */
export async function tidy(options: TidyOptions): Promise<Tidied> {
  const retention = await retentionOf(options);
  const store = await openExistingStore(options.store);
  try {
    const plan = await planRetention(store, retention);
    await carryOut(store, { ...plan, actor: { kind: "client", id: "tidy" } });
    await sweepUploads(store, { before: (await store.now()) - uploadAge(retention) });
    const removed = await removeForgotten(store, await findForgotten(store));
    await store.compact();
    return { ...idsOf(plan), bodies: amount(removed), size: await store.size() };
  } finally {
    await store.close();
  }
}

async function retentionOf({ environment, home }: TidyOptions) {
  const configs = createConfigs({
    userFolder: configFolder(environment, home),
    environment,
    trust: createTrust(join(dataFolder(environment, home), "trust.json")),
  });
  return (await configs.read(null)).config.retention;
}

function idsOf({ archive, remove }: RetentionPlan): Pick<Tidied, "archive" | "remove"> {
  return { archive: archive.map(idOf), remove: remove.map(idOf) };
}

function idOf({ sessionId }: OldSession): string {
  return sessionId;
}

function amount(bytes: ReadonlyMap<string, number>): Tidied["bodies"] {
  let sum = 0;
  for (const size of bytes.values()) sum += size;
  return { count: bytes.size, bytes: sum };
}
