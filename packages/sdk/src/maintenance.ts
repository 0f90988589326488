import { call } from "./call.ts";
import { newId } from "./ids.ts";
import { eachItem } from "./pages.ts";
import { askAgainLater, waitSeconds } from "./settled.ts";
import type { CallOptions, Transport } from "./transport.ts";
import type {
  MaintenanceAction,
  MaintenanceAnswer,
  MaintenanceInput,
  MaintenancePage,
  Routes,
} from "./types.gen.ts";

type ListOptions = Routes["GET /v1/maintenance"]["query"] & CallOptions;
type RequestOptions = Pick<MaintenanceInput, "mode" | "actionId"> & CallOptions;

/**
 * Reloads and closes directories. Changes apply to the next run and do not interrupt active runs.
 *
 * @example
 * const { actionId, status } = await holdfast.maintenance.refresh([process.cwd()]);
 * if (status === "deferred") await holdfast.maintenance.ended(actionId);
 */
export interface Maintenance {
  /** Reloads directories; null reloads all that are loaded. */
  refresh(
    directories: readonly string[] | null,
    options?: RequestOptions,
  ): Promise<MaintenanceAnswer>;
  /** Closes directories and stops their MCP servers. The next run loads them again. */
  close(
    directories: readonly string[] | null,
    options?: RequestOptions,
  ): Promise<MaintenanceAnswer>;
  /** Lists actions, latest first. */
  list(options?: ListOptions): Promise<MaintenancePage>;
  /** Yields the actions of all pages of `list`. */
  each(options?: ListOptions): AsyncGenerator<MaintenanceAction>;
  /** Returns the state of an action. */
  get(actionId: string, options?: CallOptions): Promise<MaintenanceAction>;
  /** Waits until an action has ended. */
  ended(actionId: string, options?: CallOptions): Promise<MaintenanceAction>;
  /** Cancels the runs that an action waits for. Queued prompts stay in the queue. */
  force(actionId: string, options?: CallOptions): Promise<MaintenanceAnswer>;
}

export function maintenanceOf(transport: Transport): Maintenance {
  const request = (
    kind: MaintenanceInput["kind"],
    directories: readonly string[] | null,
    { signal, patience, actionId = newId("maintenance"), ...rest }: RequestOptions = {},
  ): Promise<MaintenanceAnswer> => {
    const body = { kind, directories, actionId, ...rest };
    const options = { body, signal, patience, wait: loadTime };
    return call(transport, "POST /v1/maintenance", options);
  };
  const list: Maintenance["list"] = ({ signal, patience, ...query } = {}) =>
    call(transport, "GET /v1/maintenance", { query, signal, patience });
  return {
    refresh: (directories, options) => request("refresh", directories, options),
    close: (directories, options) => request("close", directories, options),
    list,
    each: (options = {}) => eachItem(options.after, (after) => list({ ...options, after })),
    get: (actionId, options = {}) =>
      call(transport, `GET ${path}`, { params: { actionId }, ...options }),
    ended: async (actionId, options = {}) => {
      const input = { params: { actionId }, query: { wait: waitSeconds }, ...options };
      for (;;) {
        const again = askAgainLater(transport.options.timing, options.signal);
        const action = await call(transport, `GET ${path}`, {
          ...input,
          wait: waitSeconds * 1_000,
        });
        if (action.endedAt !== null) return action;
        await again();
      }
    },
    force: (actionId, options = {}) =>
      call(transport, `POST ${path}/force`, { params: { actionId }, wait: loadTime, ...options }),
  };
}

const path = "/v1/maintenance/{actionId}";

/** Timeout in milliseconds for loading a directory, which may start slow MCP servers. */
export const loadTime = 60_000;
