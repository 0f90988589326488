import type { Budget } from "../kernel/state.ts";
import type { Model } from "./model/model.ts";
import type { PermissionRule } from "./permissions/rule.ts";
import type { Tool, ToolSettings } from "./tools/tool.ts";

/** What the agents that come with the program work with: part of a generation, and frozen with it. */
export interface AgentSetup {
  /** By name; a prompt may name one. */
  readonly profiles: ReadonlyMap<string, AgentProfile>;
  /** Of a prompt that names none. */
  readonly defaultProfile: string;
  readonly models: Models;
  /** The program's own and those of MCP servers; a profile may leave some out. */
  readonly tools: readonly Tool[];
  readonly toolSettings: ToolSettings;
  /** The built-in rules, the user's and the project's, in this order; a profile adds its own. */
  readonly rules: readonly PermissionRule[];
  readonly hooks: ToolHooks;
  readonly limits: SetupLimits;
}

/** An agent by name: what is different from the usual one. */
export interface AgentProfile {
  readonly name: string;
  readonly description: string;
  /** Told to the model beside the usual; null for nothing more. */
  readonly prompt: string | null;
  /** As `provider/model`; null for the directory's. */
  readonly model: string | null;
  /** Patterns of tool names; null for all. */
  readonly tools: readonly string[] | null;
  readonly rules: readonly PermissionRule[];
}

export interface Models {
  /** What runs use when nobody names another; null when nothing is connected: the demo agent works. */
  readonly chosen: string | null;
  /** Throws an AgentFailure (modelGone) that says what is there instead. Null for the chosen one. */
  open(id: string | null): Model;
}

/** Commands of people's own around tools. They get the call as JSON on their standard input. */
export interface ToolHooks {
  /** Null: go on. A text: the call is refused, and the model is told why. */
  beforeTool(call: HookCall): Promise<string | null>;
  /** What the hook wants the model to know besides the result; null for nothing. */
  afterTool(call: HookCall & { status: string; output: string }): Promise<string | null>;
}

export interface HookCall {
  readonly directory: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** What the directory's config says about runs; null for the runtime's own. */
export interface SetupLimits {
  readonly maxSteps: number | null;
  readonly stopGrace: number | null;
  readonly budget: Budget | null;
  readonly recovery: "resume" | "hold" | "settle" | null;
}
