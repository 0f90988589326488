import { findForgotten, removeForgotten } from "../runtime/retention/forgotten-bodies.ts";
import { carryOut, planRetention } from "../runtime/retention/retention.ts";
import type { OldSession, RetentionPlan } from "../runtime/retention/retention.ts";
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

const usualUploadAge = 24 * 3_600_000;

/** Milliseconds since which unused uploads count as forgotten. */
function uploadAge({ deleteUploadsAfter }: RetentionConfig): number {
  return deleteUploadsAfter ?? usualUploadAge;
}

/** The user's own config decides, as it is each time. Several nodes may do the same: once is enough. */
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
