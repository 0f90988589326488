import { createHmac } from "node:crypto";
import { createGeneration } from "./generation.ts";
import type { Generation } from "./generation.ts";
import type { OpenResource } from "./host.ts";
import { about, WorkspaceError } from "./loader.ts";
import type { Blueprint, Notice, ResourcePlan, WorkspaceLoader } from "./loader.ts";
import { messageOf, openResource } from "./resource.ts";
import type { ResourceParts, SharedResource, WantedResource } from "./resource.ts";
import { withTimeout } from "../base/time.ts";
import { abortError } from "./workspaces.ts";

export interface BootParts extends ResourceParts {
  readonly loader: WorkspaceLoader;
  readonly nextNumber: () => number;
  /** Processes with the same key give the same content the same digest (M7). */
  readonly digestKey: () => Uint8Array;
}

export interface BootRequest {
  readonly directory: string;
  /** What is in use now; null when nothing is. */
  readonly current: Generation | null;
  /** Names of resources to open anew. */
  readonly restart: ReadonlySet<string>;
}

/**
 * The directory's next generation, or null when it would be the one in use. What has not changed is
 * carried over. Where nothing is in use, a resource that does not open is left out, and one that takes
 * its time comes later; else nothing is kept of a generation that lacks something that the present one
 * has, or should newly have (M6).
 */
export async function bootGeneration(
  parts: BootParts,
  request: BootRequest,
): Promise<Generation | null> {
  const { directory, current, restart } = request;
  if (parts.closing.aborted) throw abortError();
  const blueprint = await readWithin(parts, directory);
  const plans = new Map(blueprint.resources.map((plan) => [plan.key, plan]));
  const carried = [...plans.keys()].flatMap((key) => {
    const found = current?.resources.get(key);
    return found === undefined || found.isRevoked() || isNamed(key, restart) ? [] : [found];
  });
  const kept = new Set(carried.map(({ key }) => key));
  const mayLack = ({ key }: ResourcePlan): boolean =>
    current === null || (current.missing.has(key) && !isNamed(key, restart));
  const wanted = [...plans.values()]
    .filter(({ key }) => !kept.has(key))
    .map((plan) => ({ plan, mayBeLate: mayLack(plan) }));
  const { opened, failed } = await openAll(parts, wanted);
  try {
    if (parts.closing.aborted) throw abortError();
    const problems = failed.filter(({ plan }) => !mayLack(plan));
    if (problems.length > 0) throw new WorkspaceError(problems.map(notOpened));
    const open = new Map([...carried, ...opened].map((each) => [each.key, each]));
    // In the blueprint's order, whatever was quicker to open.
    const resources = [...plans.keys()].flatMap((key) => open.get(key) ?? []);
    const versions = new Map(resources.map(({ key, resource }) => [key, resource.version()]));
    const digest = digestOf({ blueprint, versions, key: parts.digestKey() });
    if (opened.length === 0 && digest === current?.digest) return null;
    return build(parts, { blueprint, digest, versions, resources, failed });
  } catch (error) {
    await Promise.all(opened.map((resource) => resource.release()));
    throw error;
  }
}

/** A whole key, or its beginning up to a colon. */
export function isNamed(key: string, names: Iterable<string>): boolean {
  for (const name of names) if (key === name || key.startsWith(`${name}:`)) return true;
  return false;
}

function readWithin(parts: BootParts, directory: string): Promise<Blueprint> {
  const { clock, openTimeout: milliseconds, closing: signal, loader } = parts;
  const late = (): never => {
    const message = `the config could not be read within ${milliseconds / 1_000} s`;
    throw new WorkspaceError([about(message)]);
  };
  const reading = (async () => loader.read(directory))();
  return withTimeout(reading, { clock, milliseconds, late, signal });
}

interface Failed {
  readonly plan: ResourcePlan;
  readonly error: unknown;
}

async function openAll(
  parts: BootParts,
  all: readonly WantedResource[],
): Promise<{ opened: readonly SharedResource[]; failed: readonly Failed[] }> {
  const opened: SharedResource[] = [];
  const failed: Failed[] = [];
  const open = async (wanted: WantedResource): Promise<void> => {
    try {
      opened.push(await openResource(wanted, parts));
    } catch (error) {
      failed.push({ plan: wanted.plan, error });
    }
  };
  await Promise.all(all.map(open));
  return { opened, failed };
}

function build(
  parts: BootParts,
  made: {
    blueprint: Blueprint;
    digest: string;
    versions: ReadonlyMap<string, string>;
    resources: readonly SharedResource[];
    failed: readonly Failed[];
  },
): Generation {
  const { blueprint, digest, versions, resources, failed } = made;
  const number = parts.nextNumber();
  const generation = `${number}.${digest.slice(0, 12)}`;
  const opened = new Map(resources.map(({ key, resource }) => [key, resource]));
  const late = resources.filter(({ resource }) => (resource.notice?.() ?? null) !== null);
  const without = [...failed.map(({ plan }) => plan.title), ...late.map(({ title }) => title)];
  const workspace = blueprint.build({ generation, opened });
  return createGeneration({
    number,
    digest,
    versions,
    loadedAt: parts.clock.now(),
    workspace: Object.freeze(without.length === 0 ? workspace : { ...workspace, without }),
    notices: [...blueprint.notices, ...failed.map(notOpened)],
    resources: new Map(resources.map((resource) => [resource.key, resource])),
    missing: new Map(failed.map((each) => [each.plan.key, missingOf(each)])),
  });
}

/** Keyed, because the content has secrets in it and the digest is stored and shown. */
function digestOf(content: {
  blueprint: Blueprint;
  versions: ReadonlyMap<string, string>;
  key: Uint8Array;
}): string {
  const { blueprint, versions, key } = content;
  const parts = [...versions].map((part) => JSON.stringify(part)).toSorted();
  return createHmac("sha256", key)
    .update(JSON.stringify([blueprint.digest, parts]))
    .digest("hex");
}

function missingOf({ plan, error }: Failed): OpenResource {
  const { key, title } = plan;
  return { key, title, resource: null, problem: messageOf(error) };
}

function notOpened({ plan, error }: Failed): Notice {
  return about(`${plan.title} could not be opened: ${messageOf(error)}`);
}
