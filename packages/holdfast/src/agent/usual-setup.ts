import { defaultRules } from "./permissions/default-rules.ts";
import type { AgentProfile, AgentSetup, PromptHooks, ToolHooks } from "./setup.ts";
import { defaultToolSettings } from "./tools/tool.ts";

/** Name of the default agent, which always exists. */
export const usualAgent = "default";

/**
 * Creates the setup for agents (models, tools, rules and limits), with default values for everything that is not given.
 */
export function usualSetup(
  given: Pick<AgentSetup, "models" | "tools"> & Partial<AgentSetup>,
): AgentSetup {
  return {
    profiles: new Map([[usualAgent, usualProfile]]),
    defaultProfile: usualAgent,
    toolSettings: defaultToolSettings,
    rules: defaultRules(),
    hooks: noHooks,
    limits: {
      maxSteps: null,
      stopGrace: null,
      budget: null,
      onBudget: null,
      askTime: null,
      recovery: null,
    },
    instructions: [],
    commands: new Map(),
    ...given,
  };
}

export const usualProfile: AgentProfile = {
  name: usualAgent,
  description: "",
  prompt: null,
  model: null,
  tools: null,
  rules: [],
};

export const noHooks: ToolHooks & PromptHooks = {
  beforeTool: async () => null,
  afterTool: async () => null,
  promptAccepted: async () => {},
  settled: async () => {},
  notice: async () => {},
};
