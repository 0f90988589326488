import { createHmac } from "node:crypto";
import { createGeneration } from "./generation.ts";
import type { Generation } from "./generation.ts";
import type { OpenResource } from "./host.ts";
import { errorNotice, needsSignIn, WorkspaceError } from "./loader.ts";
import type { Blueprint, Notice, ResourcePlan, WorkspaceLoader } from "./loader.ts";
import { messageOf, openResource } from "./resource.ts";
import type { ResourceServices, SharedResource, WantedResource } from "./resource.ts";
import { withTimeout } from "../base/time.ts";
import { abortError } from "./workspaces.ts";

export interface BootServices extends ResourceServices {
  readonly loader: WorkspaceLoader;
  readonly nextNumber: () => number;
  /** Secret key of the config digest. Processes with the same key compute the same digest for the same config (M7). */
  readonly digestKey: () => Uint8Array;
}

export interface BootRequest {
  readonly directory: string;
  /** The config version in use; null if none is loaded. */
  readonly current: Generation | null;
  /** Names of resources to close and open again. */
  readonly restart: ReadonlySet<string>;
}

/**
 * Creates the next config version of a directory, or returns null if nothing has changed. Reuses unchanged resources.
 * If a resource cannot be opened, the first config version is created without it. A later config version fails to load
 * (M6), unless the resource is optional, was already missing in the current config version, or needs a sign-in.
 */
export async function bootGeneration(
  services: BootServices,
  request: BootRequest,
): Promise<Generation | null> {
  const { directory, current, restart } = request;
  if (services.closing.aborted) throw abortError();
  const blueprint = await readWithTimeout(services, directory);
  const plans = new Map(blueprint.resources.map((plan) => [plan.key, plan]));
  const carried = [...plans.keys()].flatMap((key) => {
    const found = current?.resources.get(key);
    return found === undefined || found.isRevoked() || isNamed(key, restart) ? [] : [found];
  });
  const kept = new Set(carried.map(({ key }) => key));
  const mayLack = ({ key, isOptional = false }: ResourcePlan): boolean =>
    isOptional || current === null || (current.missing.has(key) && !isNamed(key, restart));
  const wanted = [...plans.values()]
    .filter(({ key }) => !kept.has(key))
    .map((plan) => ({ plan, mayBeLate: mayLack(plan) }));
  const { opened, failed } = await openAll(services, wanted);
  try {
    if (services.closing.aborted) throw abortError();
    const problems = failed.filter(({ plan, error }) => !mayLack(plan) && !needsSignIn(error));
    if (problems.length > 0) throw new WorkspaceError(problems.map(notOpened));
    const open = new Map([...carried, ...opened].map((each) => [each.key, each]));
    // Keep the order of the config, no matter which resource opened first.
    const resources = [...plans.keys()].flatMap((key) => open.get(key) ?? []);
    const versions = new Map(resources.map(({ key, resource }) => [key, resource.version()]));
    const digest = digestOf({ blueprint, versions, key: services.digestKey() });
    if (opened.length === 0 && digest === current?.digest) return null;
    return build(services, { blueprint, digest, versions, resources, failed });
  } catch (error) {
    await Promise.all(opened.map((resource) => resource.release()));
    throw error;
  }
}

/** True if one of the names is the whole key, or its beginning up to a colon. */
export function isNamed(key: string, names: Iterable<string>): boolean {
  for (const name of names) if (key === name || key.startsWith(`${name}:`)) return true;
  return false;
}

function readWithTimeout(services: BootServices, directory: string): Promise<Blueprint> {
  const { clock, openTimeout: milliseconds, closing: signal, loader } = services;
  const late = (): never => {
    const message = `reading the config timed out after ${milliseconds / 1_000} s`;
    throw new WorkspaceError([errorNotice(message)]);
  };
  const reading = (async () => loader.read(directory))();
  return withTimeout(reading, { clock, milliseconds, late, signal });
}

interface Failed {
  readonly plan: ResourcePlan;
  readonly error: unknown;
}

async function openAll(
  services: BootServices,
  all: readonly WantedResource[],
): Promise<{ opened: readonly SharedResource[]; failed: readonly Failed[] }> {
  const opened: SharedResource[] = [];
  const failed: Failed[] = [];
  const open = async (wanted: WantedResource): Promise<void> => {
    try {
      opened.push(await openResource(wanted, services));
    } catch (error) {
      failed.push({ plan: wanted.plan, error });
    }
  };
  await Promise.all(all.map(open));
  return { opened, failed };
}

function build(
  services: BootServices,
  made: {
    blueprint: Blueprint;
    digest: string;
    versions: ReadonlyMap<string, string>;
    resources: readonly SharedResource[];
    failed: readonly Failed[];
  },
): Generation {
  const { blueprint, digest, versions, resources, failed } = made;
  const number = services.nextNumber();
  const generation = `${number}.${digest.slice(0, 12)}`;
  const opened = new Map(resources.map(({ key, resource }) => [key, resource]));
  const late = resources.filter(({ resource }) => (resource.notice?.() ?? null) !== null);
  const without = [...failed.map(({ plan }) => plan.title), ...late.map(({ title }) => title)];
  const workspace = blueprint.build({ generation, opened });
  return createGeneration({
    number,
    digest,
    versions,
    loadedAt: services.clock.now(),
    workspace: Object.freeze(without.length === 0 ? workspace : { ...workspace, without }),
    notices: [...blueprint.notices, ...failed.map(notOpened)],
    resources: new Map(resources.map((resource) => [resource.key, resource])),
    missing: new Map(failed.map((each) => [each.plan.key, missingOf(each)])),
    places: new Map(
      blueprint.resources.flatMap(({ key, place }) => (place === undefined ? [] : [[key, place]])),
    ),
  });
}

/**
 * Computes an HMAC instead of a plain hash, because the content contains secrets and the digest is stored and shown.
 */
function digestOf(content: {
  blueprint: Blueprint;
  versions: ReadonlyMap<string, string>;
  key: Uint8Array;
}): string {
  const { blueprint, versions, key } = content;
  const entries = [...versions].map((part) => JSON.stringify(part)).toSorted();
  return createHmac("sha256", key)
    .update(JSON.stringify([blueprint.digest, entries]))
    .digest("hex");
}

function missingOf({ plan, error }: Failed): OpenResource {
  const { key, title, place = null } = plan;
  return { key, title, place, resource: null, problem: messageOf(error), error };
}

function notOpened({ plan, error }: Failed): Notice {
  return errorNotice(`${plan.title} could not be opened: ${messageOf(error)}`);
}
