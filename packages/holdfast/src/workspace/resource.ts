import type { Resource, ResourcePlan } from "./loader.ts";
import { withTimeout } from "../base/time.ts";
import type { Clock } from "../base/time.ts";
import { abortError } from "./workspaces.ts";

/** An open resource, counted by the generations that need it: it is closed once, after the last. */
export interface SharedResource {
  readonly key: string;
  readonly title: string;
  readonly resource: Resource;
  retain(): void;
  /**
   * Resolves when the resource is closed, or at once while others need it; with what went wrong,
   * or null. Never rejects, and takes no longer than the time limit.
   */
  release(): Promise<string | null>;
  revoke(): void;
  isRevoked(): boolean;
}

export interface ResourceParts {
  readonly clock: Clock;
  readonly openTimeout: number;
  /** Milliseconds that a run waits for what is not there yet. */
  readonly patience: number;
  readonly closeTimeout: number;
  /** Everything is being closed: what is being opened is given up. */
  readonly closing: AbortSignal;
  readonly endings: Endings;
  readonly onChange: (changed: SharedResource) => void;
  readonly onError: (error: unknown) => void;
}

export interface WantedResource {
  readonly plan: ResourcePlan;
  /** The generation may begin without what it offers. */
  readonly mayBeLate: boolean;
}

/** Opens it for nobody yet. Throws when that fails, takes too long, or everything is being closed. */
export async function openResource(
  wanted: WantedResource,
  parts: ResourceParts,
): Promise<SharedResource> {
  const { key, title } = wanted.plan;
  await parts.endings.over(key);
  if (parts.closing.aborted) throw abortError();
  const resource = await openWithin(wanted, parts);
  let needed = 0;
  let revoked = false;
  const stopListening = resource.onChange(() => parts.onChange(shared));

  const end = (): Promise<string | null> => {
    stopListening();
    const ended = closeWithin({ title, resource }, parts);
    parts.endings.add(key, ended);
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
        parts.onError(error);
      }
    },
    isRevoked: () => revoked,
  };
  return shared;
}

/** What is opened too late is closed at once: nobody knows of it. */
async function openWithin(wanted: WantedResource, parts: ResourceParts): Promise<Resource> {
  const { clock, openTimeout, closing: signal } = parts;
  const { plan, mayBeLate } = wanted;
  const { title } = plan;
  const giveUp = new AbortController();
  const opening = (async () => plan.open(giveUp.signal, mayBeLate ? parts.patience : null))();
  const late = (): never => {
    throw new Error(`it did not open within ${seconds(openTimeout)}`);
  };
  try {
    return await withTimeout(opening, { clock, milliseconds: openTimeout, late, signal });
  } catch (error) {
    giveUp.abort(error);
    const ended = opening.then(
      (resource) => closeWithin({ title, resource }, parts),
      () => null,
    );
    const unheard = (): never => {
      throw new Error(`${title} goes on opening though it was told to stop`, { cause: error });
    };
    const closed = withTimeout(ended, { clock, milliseconds: parts.closeTimeout, late: unheard });
    parts.endings.add(plan.key, closed.catch(parts.onError));
    throw error;
  }
}

async function closeWithin(
  open: { title: string; resource: Resource },
  parts: ResourceParts,
): Promise<string | null> {
  const { clock, closeTimeout: milliseconds, onError } = parts;
  const { title, resource } = open;
  const late = (): never => {
    throw new Error(`it did not close within ${seconds(milliseconds)}`);
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

/** Closings under way, by the key of what is closed, so that the same is not opened beside it. */
interface Endings {
  /** Resolves when nothing under this key is being closed. */
  over(key: string): Promise<void>;
  /** It must not reject. */
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
