import { withDeadline } from "../../base/time.ts";
import type { BudgetInput } from "../../contract/outcome.ts";
import { defaultPageSize } from "../../contract/page.ts";
import type { Budget } from "../../kernel/state.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { SessionSummary } from "../../store/session-list.ts";
import { ApiError } from "../errors.ts";
import type { Lifecycle, Observer, Principal, Security } from "../ports.ts";
import { mayUse } from "../security/directories.ts";

/** Services that route handlers use. */
export interface RouteServices {
  readonly runtime: Runtime;
  readonly security: Security;
  readonly lifecycle: Lifecycle;
  /** Maximum of the query parameter `wait`, in seconds. */
  readonly maxWait: number;
  readonly observer?: Observer;
}

/**
 * Returns the items whose session the principal may see. A page that becomes shorter by this is not necessarily the
 * last page.
 */
export async function visible<Item extends { readonly sessionId: string }>(
  { runtime }: Pick<RouteServices, "runtime">,
  principal: Principal,
  items: readonly Item[],
): Promise<readonly Item[]> {
  if (principal.directories === null) return items;
  const states = await Promise.all(items.map(({ sessionId }) => runtime.store.lane(sessionId)));
  return items.filter((_, index) => {
    const state = states[index] ?? null;
    return state !== null && mayUse(principal, state.directory);
  });
}

export function unknownSession(sessionId: string): ApiError {
  return new ApiError("unknownSession", `there is no session ${sessionId}`);
}

export async function expectSession(runtime: Runtime, sessionId: string): Promise<SessionSummary> {
  const summary = await runtime.session(sessionId);
  if (summary === null) throw unknownSession(sessionId);
  return summary;
}

/** Returns a service that only a server has. Throws `notOffered` if there is none, as in an embedded runtime. */
export function offered<Part>(part: Part | null, name: string): Part {
  if (part !== null) return part;
  throw new ApiError("notOffered", `${name} are available only on a server`);
}

/**
 * Resolves a directory that is used as a filter. If it no longer exists, returns it unchanged, because lists may still
 * contain it.
 */
export async function namedDirectory(
  { security }: Pick<RouteServices, "security">,
  principal: Principal,
  directory: string,
): Promise<string> {
  try {
    return await security.resolveDirectory(principal, directory);
  } catch (error) {
    if (error instanceof ApiError && error.code === "invalid") return directory;
    throw error;
  }
}

/**
 * Calls `work`, which may wait for something. The wait ends after the number of seconds in the query field `wait`, and
 * at the latest after `maxWait` seconds. If `wait` is 0 or missing, `work` must not wait.
 */
export function waiting<T>(
  services: Pick<RouteServices, "lifecycle" | "maxWait">,
  call: { query: { wait?: number | undefined }; principal: Principal; request: Request },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const seconds = Math.min(call.query.wait ?? 0, services.maxWait);
  if (seconds === 0) return work(AbortSignal.abort());
  const signals = [call.request.signal, call.principal.revoked, services.lifecycle.closing];
  return withDeadline(work, { milliseconds: seconds * 1_000, signals });
}

export function limitOf(query: { limit?: number | undefined }): number {
  return query.limit ?? defaultPageSize;
}

/** Parses a cursor that is an integer, such as an acceptSeq. */
export function numberCursor(after: string | undefined): number | null {
  if (after === undefined) return null;
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw badCursor();
}

export function badCursor(): ApiError {
  return new ApiError("badCursor", '"after" must be the cursor of a previous page');
}

/** Builds a page of a list. A page with fewer rows than the limit is the last one and gets no cursor. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  options: { limit: number; items: readonly Item[]; cursor: (last: Row) => string },
): { items: readonly Item[]; cursor: string | null } {
  const last = rows.length < options.limit ? undefined : rows.at(-1);
  return { items: options.items, cursor: last === undefined ? null : options.cursor(last) };
}

export function budgetOf(budget: BudgetInput | null | undefined): Budget | null {
  if (budget === null || budget === undefined) return null;
  return { tokens: budget.tokens ?? null, cost: budget.cost ?? null };
}

/** Removes undefined fields, because the runtime treats an undefined field differently from an absent one. */
export function given<Fields extends object>(fields: Fields): Given<Fields>;
export function given(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

type Given<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<
    Fields[Key],
    undefined
  >;
};
