import type { Budget, OnBudget } from "../kernel/state.ts";
import type { HostedPool } from "./hosted/pool.ts";
import type { Model } from "./model/model.ts";
import type { ReasoningWish } from "./model/reasoning.ts";
import type { PermissionRule } from "./permissions/rule.ts";
import type { Tool, ToolSettings } from "./tools/tool.ts";

/** Settings and tools of the built-in agents in one config version, which never change. */
export interface AgentSetup {
  /** Agent profiles by name. A prompt can select one. */
  readonly profiles: ReadonlyMap<string, AgentProfile>;
  /** Name of the profile for prompts that select none. */
  readonly defaultProfile: string;
  readonly models: Models;
  /** Reasoning settings that apply if the prompt, the agent and the model set none. */
  readonly wish?: ReasoningWish;
  /** Built-in tools and tools of MCP servers. A profile can exclude some. */
  readonly tools: readonly Tool[];
  readonly toolSettings: ToolSettings;
  /** The built-in rules, then the user's rules, then the project's. A profile adds its own rules. */
  readonly rules: readonly PermissionRule[];
  readonly hooks: ToolHooks & PromptHooks;
  readonly limits: SetupLimits;
  /** Instructions for the model in addition to AGENTS.md files. */
  readonly instructions: readonly { readonly path: string; readonly text: string }[];
  /** Slash commands by name. */
  readonly commands: ReadonlyMap<string, SlashCommand>;
  /** Process pools of hosted agents, by the name of their profile. Missing: none. */
  readonly hosted?: ReadonlyMap<string, HostedPool>;
}

/** A named agent: the settings in which it differs from the default agent. */
export interface AgentProfile {
  readonly name: string;
  readonly description: string;
  /** Text to append to the system prompt. Null: none. */
  readonly prompt: string | null;
  /** Model as `provider/model`. Null: the directory's model. */
  readonly model: string | null;
  /** Reasoning settings of the agent. Missing: those of the model or the directory. */
  readonly wish?: ReasoningWish;
  /** Name patterns of the tools that the agent may use. Null: all tools. */
  readonly tools: readonly string[] | null;
  readonly rules: readonly PermissionRule[];
  /** Set if the agent is hosted: another program, which speaks ACP, answers the prompts. */
  readonly hosted?: true;
}

export interface Models {
  /** The default model: the configured one, or one that Holdfast selects. Null: there is none. */
  readonly chosen: string | null;
  /** The model that writes session titles. Null: the default model. */
  readonly small: string | null;
  /** Names of connected providers. */
  readonly providers: readonly string[];
  /** Names of providers that the user has disconnected. */
  readonly disconnected: readonly string[];
  /**
   * Opens a model; null: the default one. If the model cannot be used, rejects with an AgentFailure (modelGone) that
   * tells what to do. Asks the model's server for its properties, which may take time. With `run`, records that the run
   * uses the provider: if the user disconnects the provider, the run is stopped.
   */
  open(id: string | null, run?: { readonly runId: string }): Promise<Model>;
  release(runId: string): void;
}

/** True if the demo agent answers prompts that name no agent and no model: no provider was ever connected. */
export function hasOnlyDemo(
  models: Pick<Models, "chosen" | "providers" | "disconnected">,
): boolean {
  const { chosen, providers, disconnected } = models;
  return chosen === null && providers.length === 0 && disconnected.length === 0;
}

/** A saved prompt that people send by its name. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** Source of the command, shown to people: a file or an MCP server. */
  readonly source: string;
  /** Agent, model and reasoning to use if the sender selects none. */
  readonly agent: string | null;
  readonly model: string | null;
  readonly wish?: ReasoningWish;
  /** True for a built-in command, which the agent executes instead of sending it to the model. */
  readonly builtIn?: true;
  /** Returns the prompt text with the arguments inserted. */
  expand(given: string, signal: AbortSignal): Promise<string>;
}

/** Shell commands of the user that run before and after tool calls. They receive the call as JSON on stdin. */
export interface ToolHooks {
  /** Returns null to allow the call, or a text to deny it. The model sees the text. */
  beforeTool(call: HookCall): Promise<string | null>;
  /** Returns text to append to the result that the model sees, or null. */
  afterTool(call: HookCall & { status: string; output: string }): Promise<string | null>;
}

/** Shell commands of the user that run when a prompt is accepted or settled, and for notices. Runs do not wait for them. */
export interface PromptHooks {
  promptAccepted(prompt: HookPrompt): Promise<void>;
  settled(prompt: HookPrompt & { status: string; reason: string | null }): Promise<void>;
  notice(notice: HookNotice): Promise<void>;
}

/**
 * A notification for hooks. People get the same notification on the web page, in the terminal, by push or through
 * webhooks.
 */
export interface HookNotice {
  readonly directory: string;
  readonly sessionId: string;
  /** Sequence number of the event in the session's log. */
  readonly seq: number;
  readonly kind: string;
  /** Text of the notification. */
  readonly text: string;
  readonly title: string | null;
  readonly signal: AbortSignal;
}

export interface HookPrompt {
  readonly directory: string;
  readonly sessionId: string;
  readonly promptId: string;
  /** The text of the prompt. For a settled prompt: the result or error of the run. */
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

/** Limits of runs that no config and no option sets. */
export const usualLimits = { maxSteps: 200, stopGrace: 5_000 } as const;

/** Limits from the directory's config. Null: the runtime's default. */
export interface SetupLimits {
  readonly maxSteps: number | null;
  readonly stopGrace: number | null;
  readonly budget: Budget | null;
  readonly onBudget: OnBudget | null;
  readonly askTime: number | null;
  readonly recovery: "resume" | "hold" | "settle" | null;
}
