import { findForgotten, removeForgotten } from "../runtime/retention/forgotten-bodies.ts";
import { carryOut, planRetention } from "../runtime/retention/retention.ts";
import type { OldSession, RetentionPlan } from "../runtime/retention/retention.ts";
import { createSearchIndex } from "../log/search-index.ts";
import { sweepUploads } from "../server/uploads.ts";
import type { StoreSize } from "../store/store.ts";
import { createConfigs } from "../workspace/config/configs.ts";
import { createTrust } from "../workspace/config/trust.ts";
import { configFolder, dataFolder, openExistingStore, openReader } from "./stores.ts";
import { join } from "node:path";
import type { Actor } from "../kernel/event.ts";
import type { Repeated } from "../base/repeat.ts";
import { repeat } from "../base/repeat.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { RetentionConfig } from "../workspace/config/config.ts";
import type { Configs } from "../workspace/config/configs.ts";

export interface TidyOptions {
  readonly store: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly home: string;
}

/** Changes that the command `tidy` plans to make to the store, or has made. */
export interface Tidied {
  /** Ids of the sessions to archive. */
  readonly archive: readonly string[];
  readonly remove: readonly string[];
  /** Stored content that only deleted sessions refer to. */
  readonly bodies: { readonly count: number; readonly bytes: number };
  /** Number of deleted uploads. Null: a dry run does not count them. */
  readonly uploads: number | null;
  readonly size: StoreSize;
}

/**
 * Plans the changes of `tidy` without making them. Works even while another process owns the store.
 */
export async function planTidying(options: TidyOptions): Promise<Tidied> {
  const retention = await retentionOf(options);
  const reader = await openReader(options.store);
  try {
    const plan = await planRetention(reader, retention);
    const { bytes } = await findForgotten(reader);
    return { ...idsOf(plan), bodies: amount(bytes), uploads: null, size: await reader.size() };
  } finally {
    await reader.close();
  }
}

/** Archives and deletes the sessions that the retention rules select, and frees disk space. */
export async function tidy(options: TidyOptions): Promise<Tidied> {
  const retention = await retentionOf(options);
  const store = await openExistingStore(options.store);
  try {
    const plan = await planRetention(store, retention);
    await carryOut(store, { ...plan, actor: { kind: "client", id: "tidy" } });
    const before = (await store.now()) - uploadAge(retention);
    const uploads = await sweepUploads(store, { before });
    // Removes deleted sessions from the search index.
    await createSearchIndex(store).catchUp(longestIndexing);
    const removed = await removeForgotten(store, await findForgotten(store));
    await store.compact();
    return { ...idsOf(plan), bodies: amount(removed), uploads, size: await store.size() };
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

const longestIndexing = 600_000;
const usualUploadAge = 24 * 3_600_000;

/** Returns the age in milliseconds at which unused uploads are deleted. */
function uploadAge({ deleteUploadsAfter }: RetentionConfig): number {
  return deleteUploadsAfter ?? usualUploadAge;
}

/** Applies the retention rules of the user's config every hour. Several nodes can do this concurrently. */
export function startRetention(options: {
  runtime: Runtime;
  configs: Configs;
  onError: (error: unknown) => void;
}): Repeated {
  const { runtime, configs, onError } = options;
  const { store } = runtime;
  const work = async (): Promise<void> => {
    const id = runtime.nodeId();
    if (id === null) return;
    const actor: Actor = { kind: "node", id };
    const { retention } = (await configs.read(null)).config;
    await sweepUploads(store, { before: (await store.now()) - uploadAge(retention) });
    await carryOut(store, { ...(await planRetention(store, retention)), actor });
  };
  return repeat({ work, first: 60_000, every: 3_600_000, onError });
}
