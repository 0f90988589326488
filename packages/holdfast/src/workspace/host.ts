import type { Workspace } from "../agent/agent.ts";
import type { MaintenanceKind, MaintenanceProblem, PinningRun } from "../kernel/maintenance.ts";
import type { Notice, Resource } from "./loader.ts";
import type { Workspaces } from "./workspaces.ts";

/** Every directory that is open in this process, and the generations that its runs have pinned. */
export interface WorkspaceHost extends Workspaces {
  /**
   * Refreshes or closes what is open. It answers when the new state is in use, and waits for no run:
   * those keep what they have pinned (M1).
   */
  apply(request: ApplyRequest): Promise<Applied>;
  list(): readonly OpenDirectory[];
  /** Null when it is not open. */
  get(directory: string): OpenDirectory | null;
  /** Opens it if it is not; throws a WorkspaceError when it cannot be loaded. */
  load(directory: string): Promise<OpenDirectory>;
  /** For the end of the process, after its runs: every resource is closed once, pinned or not. */
  close(): Promise<void>;
}

export interface ApplyRequest {
  readonly kind: MaintenanceKind;
  /** Null for every open one. */
  readonly directories: readonly string[] | null;
  /** Resources to open anew: whole keys, or their beginnings up to a colon, such as `mcp:files`. */
  readonly restart: readonly string[];
  /** Providers by name: their resources serve nobody any more, pinned or not. */
  readonly revoke: readonly string[];
}

export interface Applied {
  /** The open ones among those that were asked for. */
  readonly directories: readonly string[];
  /** Directories whose new state could not be loaded: the old one stays in use (M6). */
  readonly failures: readonly MaintenanceProblem[];
  /** Runs that pin, at this moment, what was retired when it was applied. */
  waitingFor(): readonly PinningRun[];
  /** Told when `waitingFor` has changed. Answers how to stop listening. */
  onChange(listener: () => void): () => void;
  /** Resolves once all of it is torn down, with what went wrong; never rejects (M3). */
  readonly ended: Promise<readonly MaintenanceProblem[]>;
}

export interface OpenDirectory {
  readonly directory: string;
  /** What the next run gets; null while it is being loaded, or closed with runs still on an old one. */
  readonly current: OpenGeneration | null;
  /** Those that are still pinned, the oldest first. */
  readonly retired: readonly OpenGeneration[];
  /** Why the last refresh has left the present generation in use; null when it did not fail. */
  readonly problem: MaintenanceProblem | null;
}

export interface OpenGeneration {
  /** `<number>.<beginning of the digest>`. */
  readonly id: string;
  /** Counts the generations of the directory in this process. */
  readonly number: number;
  readonly digest: string;
  readonly loadedAt: number;
  readonly workspace: Workspace;
  readonly notices: readonly Notice[];
  readonly resources: readonly OpenResource[];
  readonly pins: readonly PinningRun[];
}

export interface OpenResource {
  readonly key: string;
  readonly title: string;
  /** Null when it could not be opened; a notice says why. */
  readonly resource: Resource | null;
}
