import type { Budget, OnBudget } from "../kernel/state.ts";
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
  readonly hooks: ToolHooks & PromptHooks;
  readonly limits: SetupLimits;
  /** Told to the model beside the AGENTS.md files. */
  readonly instructions: readonly { readonly path: string; readonly text: string }[];
  /** What a prompt may begin with, by name. */
  readonly commands: ReadonlyMap<string, SlashCommand>;
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
  /** What runs use when nobody names another; null when none is named or known. */
  readonly chosen: string | null;
  /** What titles are made with; null for the chosen one. */
  readonly small: string | null;
  /** The names of the providers that are connected. Without one the demo agent works. */
  readonly providers: readonly string[];
  /**
   * Null for the chosen one. Throws an AgentFailure (modelGone) that says what is there instead. A run
   * that is named uses the model's provider until it is released, and is stopped with that.
   */
  open(id: string | null, run?: { readonly runId: string }): Model;
  release(runId: string): void;
}

/** A text to be sent by its name. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** Where it comes from, for people: a file, or an MCP server. */
  readonly source: string;
  /** Who is to work on it, and with what, where the sender does not say. */
  readonly agent: string | null;
  readonly model: string | null;
  /** It comes with the program, and the agent carries it out: it is no text for the model. */
  readonly builtIn?: true;
  /** The prompt's text, with the arguments put in. */
  expand(given: string, signal: AbortSignal): Promise<string>;
}

/** Commands of people's own around tools. They get the call as JSON on their standard input. */
export interface ToolHooks {
  /** Null: go on. A text: the call is refused, and the model is told why. */
  beforeTool(call: HookCall): Promise<string | null>;
  /** What the hook wants the model to know besides the result; null for nothing. */
  afterTool(call: HookCall & { status: string; output: string }): Promise<string | null>;
}

/** Commands of people's own about prompts. Nothing waits for them. */
export interface PromptHooks {
  promptAccepted(prompt: HookPrompt): Promise<void>;
  settled(prompt: HookPrompt & { status: string; reason: string | null }): Promise<void>;
}

export interface HookPrompt {
  readonly directory: string;
  readonly sessionId: string;
  readonly promptId: string;
  /** The prompt's words; when it is settled, the run's result or error. */
  readonly text: string | null;
  readonly signal: AbortSignal;
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
  readonly onBudget: OnBudget | null;
  readonly askTime: number | null;
  readonly recovery: "resume" | "hold" | "settle" | null;
}
