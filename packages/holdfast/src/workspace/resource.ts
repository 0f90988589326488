import type { Resource, ResourcePlan } from "./loader.ts";
import { withTimeout } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import { abortError } from "./workspaces.ts";

/** An open resource with a reference count. It is closed when the last config version that needs it releases it. */
export interface SharedResource {
  readonly key: string;
  readonly title: string;
  readonly resource: Resource;
  retain(): void;
  /**
   * Resolves when the resource is closed, or immediately if other config versions need it. Returns the problem, else
   * null. Never rejects, and takes at most the close timeout.
   */
  release(): Promise<string | null>;
  revoke(): void;
  isRevoked(): boolean;
}

export interface ResourceServices {
  readonly clock: Clock;
  readonly openTimeout: number;
  /** Milliseconds that a run waits for a slow resource. */
  readonly patience: number;
  readonly closeTimeout: number;
  /** Aborts when the process shuts down. Resources that are still opening are then dropped. */
  readonly closing: AbortSignal;
  readonly endings: Endings;
  readonly onChange: (changed: SharedResource) => void;
  readonly onError: (error: unknown) => void;
}

export interface WantedResource {
  readonly plan: ResourcePlan;
  /** True if the config version may start without this resource. */
  readonly mayBeLate: boolean;
}

/** Opens a resource with reference count 0. Throws if opening fails or times out, or if the process shuts down. */
export async function openResource(
  wanted: WantedResource,
  services: ResourceServices,
): Promise<SharedResource> {
  const { key, title } = wanted.plan;
  await services.endings.over(key);
  if (services.closing.aborted) throw abortError();
  const resource = await openWithTimeout(wanted, services);
  let needed = 0;
  let revoked = false;
  const stopListening = resource.onChange(() => services.onChange(shared));

  const end = (): Promise<string | null> => {
    stopListening();
    const ended = closeWithTimeout({ title, resource }, services);
    services.endings.add(key, ended);
    return ended;
  };
  const shared: SharedResource = {
    key,
    title,
    resource,
    retain: () => {
      needed += 1;
    },
    release: async () => {
      needed -= 1;
      return needed > 0 ? null : end();
    },
    revoke: () => {
      if (revoked) return;
      revoked = true;
      try {
        resource.revoke?.();
      } catch (error) {
        services.onError(error);
      }
    },
    isRevoked: () => revoked,
  };
  return shared;
}

/** Opens a resource with a timeout. A resource that opens after the timeout is closed immediately. */
async function openWithTimeout(
  wanted: WantedResource,
  services: ResourceServices,
): Promise<Resource> {
  const { clock, openTimeout, closing: signal } = services;
  const { plan, mayBeLate } = wanted;
  const { title } = plan;
  const giveUp = new AbortController();
  const opening = (async () => plan.open(giveUp.signal, mayBeLate ? services.patience : null))();
  const late = (): never => {
    throw new Error(`it was not ready within ${seconds(openTimeout)}`);
  };
  try {
    return await withTimeout(opening, { clock, milliseconds: openTimeout, late, signal });
  } catch (error) {
    giveUp.abort(error);
    // If opening fails after all, there is nothing to close.
    const ended = opening.then(
      (resource) => closeWithTimeout({ title, resource }, services),
      () => null,
    );
    const stillOpening = (): never => {
      throw new Error(`opening ${title} was aborted, but has not stopped yet`, { cause: error });
    };
    const closed = withTimeout(ended, {
      clock,
      milliseconds: services.closeTimeout,
      late: stillOpening,
    });
    services.endings.add(plan.key, closed.catch(services.onError));
    throw error;
  }
}

async function closeWithTimeout(
  open: { title: string; resource: Resource },
  services: ResourceServices,
): Promise<string | null> {
  const { clock, closeTimeout: milliseconds, onError } = services;
  const { title, resource } = open;
  const late = (): never => {
    throw new Error(`closing timed out after ${seconds(milliseconds)}`);
  };
  try {
    const closing = (async () => resource.close())();
    await withTimeout(closing, { clock, milliseconds, late });
    return null;
  } catch (cause) {
    const problem = `${title} could not be closed: ${messageOf(cause)}`;
    onError(new Error(problem, { cause }));
    return problem;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1_000} s`;
}

/** Close operations in progress, by resource key. A resource with the same key is opened only after them. */
interface Endings {
  /** Resolves when no resource with this key is being closed. */
  over(key: string): Promise<void>;
  /** Records a close operation in progress. `ended` must not reject. */
  add(key: string, ended: Promise<unknown>): void;
  isEmpty(): boolean;
  all(): Promise<void>;
}

export function createEndings(onEmpty: () => void): Endings {
  const open = new Map<string, Promise<unknown>>();
  return {
    over: async (key) => {
      await open.get(key);
    },
    add: (key, ended) => {
      const over = Promise.all([open.get(key), ended]).finally(() => {
        if (open.get(key) === over) open.delete(key);
        if (open.size === 0) onEmpty();
      });
      open.set(key, over);
    },
    isEmpty: () => open.size === 0,
    all: async () => {
      await Promise.all(open.values());
    },
  };
}
