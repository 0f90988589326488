import type { TestContext } from "node:test";
import type { MaintenanceAction, PinningRun } from "../../../src/kernel/maintenance.ts";
import type {
  Maintenance,
  MaintenanceAnswer,
} from "../../../src/runner/maintenance/maintenance.ts";
import { openWorld } from "../../workspace/support/world.ts";
import type { Config, World } from "../../workspace/support/world.ts";
import { openPostgresPlace, openSqlitePlace } from "./place.ts";
import type { Place, Scope, Settings } from "./place.ts";
import type { Puppet } from "./puppets.ts";

/** Runtimes whose runs use directories with a config and an open resource. */
export interface WorkspacePlace extends Place {
  /** The workspace world of the first runtime. */
  readonly world: World;
  readonly maintenance: Maintenance;
}

export const project = "/project";

/** The config of `/project`. Its resource is named after the number of the config. */
export function config(number: number): Config {
  return { digest: `${number}`, resources: [`mcp:x${number}`] };
}

interface PlaceOptions extends Settings {
  readonly configs?: Record<string, Config>;
  readonly url?: string;
}

export async function openWorkspacePlace(
  t: TestContext,
  options: PlaceOptions = {},
): Promise<WorkspacePlace> {
  const { configs = { [project]: config(1) }, url, ...settings } = options;
  const scope = beforeHosts(t);
  const world = openWorld(t, configs);
  const given = { ...settings, workspaces: world.host };
  const place =
    url === undefined
      ? await openSqlitePlace(scope, given)
      : await openPostgresPlace(scope, { ...given, url, runtimes: 1 });
  return { ...place, world, maintenance: place.first.holdfast.maintenance };
}

/** Hosts are closed after the runtimes that use them. */
function beforeHosts(t: TestContext): Scope {
  const cleans: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const clean of cleans) await clean();
  });
  return { after: (clean) => void cleans.push(clean) };
}

/** Opens a place in which prompt `a` has started a step, and the project's config was changed afterwards. */
export async function openChangedPlace(
  t: TestContext,
  options: PlaceOptions = {},
): Promise<WorkspacePlace & { readonly run: Puppet }> {
  const place = await openWorkspacePlace(t, options);
  const run = await place.openStep("a");
  place.world.configure(project, config(2));
  return { ...place, run };
}

/**
 * Notices that a listener gets, without the prefix `maintenance.`; for a deferred action with the number of runs. The
 * notice that an action waits for no more runs appears only if the teardown takes a while.
 */
export function follow(maintenance: Maintenance): { readonly told: string[] } {
  const told: string[] = [];
  maintenance.onChange((action, name) => {
    const runs = waitingFor(action).length;
    const isDeferred = name === "maintenance.deferred";
    if (isDeferred && runs === 0) return;
    const what = name.replace("maintenance.", "");
    told.push(`${action.actionId} ${what}${isDeferred ? ` for ${runs}` : ""}`);
  });
  return { told };
}

export function waitingFor(action: MaintenanceAction): readonly PinningRun[] {
  return action.parts.flatMap((part) => (part.status === "deferred" ? part.waitingFor : []));
}

/** The run as an action names it. */
export function pinned({ context }: Puppet): PinningRun {
  const { directory, sessionId, runId } = context;
  return { directory, sessionId, runId };
}

/** The answer to a request that waits for these runs, or for none. */
export function answered(
  actionId: string,
  puppets: readonly Puppet[],
  fields: Partial<MaintenanceAnswer> = {},
): MaintenanceAnswer {
  return {
    status: puppets.length > 0 ? "deferred" : "completed",
    actionId,
    affectedDirectories: [project],
    waitingFor: puppets.map(pinned),
    problems: [],
    ...fields,
  };
}

/** The number of the config that a run works with. */
export function generationOf({ context }: Puppet): string {
  return context.workspace.generation.replace(/\..*$/, "");
}
