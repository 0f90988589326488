import { randomUUID } from "node:crypto";
import type { HookCall, PromptHooks, ToolHooks } from "../../agent/setup.ts";
import { noHooks } from "../../agent/usual-setup.ts";
import { textGlob } from "../../agent/tools/glob-pattern.ts";
import type { Config, HookConfig } from "../config/config.ts";
import type { HookEnd, HookRequest } from "./run-hook.ts";

interface HookPorts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onError: (error: unknown) => void;
}

/**
 * The commands of people's own around tools and about prompts, one after the other in their order. One
 * before a tool that fails, hangs or cannot be started refuses the call: it may be there to guard it.
 */
export function hooksOf(
  { hooks: config, sandbox }: Pick<Config, "hooks" | "sandbox">,
  ports: HookPorts,
): ToolHooks & PromptHooks {
  if (Object.values(config).every((hooks) => hooks.length === 0)) return noHooks;
  const run = async (hook: HookConfig, request: Told): Promise<HookEnd> => {
    const { runHook } = await import("./run-hook.ts");
    const { signal, directory, told } = request;
    const { environment } = ports;
    const { variables } = sandbox;
    const input = `${JSON.stringify({ hook: request.name, directory, ...told })}\n`;
    return runHook({ hook, input, directory, environment, variables, signal, id: randomUUID() });
  };
  const about = async (hooks: readonly HookConfig[], request: Told): Promise<void> => {
    for (const hook of hooks) {
      const { problem } = await run(hook, request);
      if (problem !== null) ports.onError(new Error(`the hook ${request.name} ${problem}`));
    }
  };
  return {
    beforeTool: async ({ signal, directory, ...told }) => {
      for (const hook of matching(config.beforeTool, told.tool)) {
        const end = await run(hook, { name: "beforeTool", signal, directory, told });
        if (end.problem === null) continue;
        return `A hook did not let this call through (it ${end.problem}).${quoted(end.output)}`;
      }
      return null;
    },
    afterTool: async ({ signal, directory, ...told }) => {
      const remarks: string[] = [];
      for (const hook of matching(config.afterTool, told.tool)) {
        const { problem, output } = await run(hook, { name: "afterTool", signal, directory, told });
        if (problem !== null) remarks.push(`[a hook ${problem}]${quoted(output)}`);
        else if (output !== "") remarks.push(`[a hook says]${quoted(output)}`);
      }
      return remarks.length === 0 ? null : remarks.join("\n");
    },
    promptAccepted: ({ signal, directory, ...told }) =>
      about(config.promptAccepted, { name: "promptAccepted", signal, directory, told }),
    settled: ({ signal, directory, ...told }) =>
      about(config.settled, { name: "settled", signal, directory, told }),
  };
}

interface Told extends Pick<HookRequest, "signal" | "directory"> {
  readonly name: string;
  readonly told: object;
}

function matching(hooks: readonly HookConfig[], tool: HookCall["tool"]): readonly HookConfig[] {
  return hooks.filter(({ match }) => match === null || textGlob(match)(tool));
}

function quoted(output: string): string {
  return output === "" ? "" : `\n${output}`;
}
