import type { MaintenanceAction } from "../../contract/maintenance.ts";
import type { workspaceRoutes } from "../../contract/routes/workspaces.ts";
import type { MaintenanceAction as KernelAction } from "../../kernel/maintenance.ts";
import type { Maintenance, MaintenanceInput } from "../../runner/maintenance/maintenance.ts";
import { ApiError } from "../errors.ts";
import type { Answer, Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import { directoryFilter, mayUse } from "../security/directories.ts";
import { wireAnswer, wireMaintenance } from "../wire/maintenance.ts";
import type { Workspaces } from "../workspace-ports.ts";
import { badCursor, given, limitOf, namedDirectory, waiting } from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";

export interface MaintenanceServices extends RouteServices {
  readonly workspaces: Workspaces | null;
}

export function maintenanceHandlers(
  services: MaintenanceServices,
): Handlers<"listMaintenance" | "requestMaintenance" | "getMaintenance" | "forceMaintenance"> {
  const { maintenance } = services.runtime;
  return {
    listMaintenance: async ({ query, principal }) => {
      if (query.after !== undefined && !maintenance.isCursor(query.after)) throw badCursor();
      const { status, directory } = query;
      const page = await maintenance.list({
        ...given({ status }),
        ...given({
          directory: directory && (await namedDirectory(services, principal, directory)),
        }),
        matches: (action) => wireMaintenance(action, directoryFilter(principal)) !== null,
        limit: limitOf(query),
        after: query.after ?? null,
      });
      const items = page.actions.flatMap(
        (action) => wireMaintenance(action, directoryFilter(principal)) ?? [],
      );
      return { status: 200, body: { items, cursor: page.cursor } };
    },
    requestMaintenance: async ({ body, principal }) => {
      const { kind, mode, actionId } = body;
      const directories = await scopeOf(services, principal, body.directories);
      return apply(services, principal, { kind, directories, ...given({ mode, actionId }) });
    },
    getMaintenance: async (call) => {
      const { params, principal } = call;
      const action = await waiting(services, call, (signal) =>
        maintenance.wait({ ...params, signal }),
      );
      return { status: 200, body: seen(principal, action, params.actionId) };
    },
    forceMaintenance: async ({ params, principal }) => {
      const { actionId } = params;
      const action = await maintenance.get(actionId);
      seen(principal, action, actionId);
      if (!isWhole(principal, action?.directories ?? null))
        throw needsAll(principal, "this action affects other directories too");
      const answer = await maintenance.force({ actionId, actor: principal.actor });
      if (answer === null) throw unknownAction(actionId);
      return answered(principal, answer);
    },
  };
}

/**
 * Requests the reload or close that a config change makes necessary. Answers with status 202 if the change waits for
 * runs that use the old config, otherwise with 200 (M2).
 */
export async function apply(
  { runtime }: Pick<RouteServices, "runtime">,
  principal: Principal,
  input: Omit<MaintenanceInput, "actor">,
): Promise<Applied> {
  return answered(
    principal,
    await runtime.maintenance.request({ ...input, actor: principal.actor }),
  );
}

type Applied = Answer<(typeof workspaceRoutes)["requestMaintenance"]>;

function answered(
  principal: Principal,
  answer: Awaited<ReturnType<Maintenance["request"]>>,
): Applied {
  const body = wireAnswer(answer, directoryFilter(principal));
  return body.status === "deferred" ? { status: 202, body } : { status: 200, body };
}

/** Refuses a token that is limited to some directories. `reason` continues the sentence after "but". */
export function expectWhole(principal: Principal, reason: string): void {
  if (principal.directories !== null) throw needsAll(principal, reason);
}

function needsAll({ name, directories }: Principal, reason: string): ApiError {
  const message = `token ${name} is limited to some directories, but ${reason}`;
  return new ApiError("forbidden", message, { details: { directories: directories ?? [] } });
}

async function scopeOf(
  services: MaintenanceServices,
  principal: Principal,
  directories: readonly string[] | null,
): Promise<readonly string[] | null> {
  if (directories === null) {
    expectWhole(principal, "this request affects all directories; name some of them");
    return null;
  }
  const named = await Promise.all(
    directories.map((directory) => openDirectory(services, principal, directory)),
  );
  return [...new Set(named)];
}

/**
 * Resolves a directory that may no longer exist: a deleted directory can still be open in this process, and clients
 * must be able to close it.
 */
async function openDirectory(
  { security, workspaces }: MaintenanceServices,
  principal: Principal,
  directory: string,
): Promise<string> {
  const open = workspaces?.list().some((entry) => entry.directory === directory) ?? false;
  if (open && mayUse(principal, directory)) return directory;
  return security.resolveDirectory(principal, directory);
}

function isWhole(principal: Principal, directories: readonly string[] | null): boolean {
  if (principal.directories === null) return true;
  return directories !== null && directories.every((directory) => mayUse(principal, directory));
}

function seen(
  principal: Principal,
  action: KernelAction | null,
  actionId: string,
): MaintenanceAction {
  const found = action === null ? null : wireMaintenance(action, directoryFilter(principal));
  if (found === null) throw unknownAction(actionId);
  return found;
}

function unknownAction(actionId: string): ApiError {
  return new ApiError("unknownAction", `there is no maintenance action ${actionId}`);
}
