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
 * Creates the hooks of a config. Hooks of the same kind run one after the other. If a hook before a tool call fails,
 * hangs or cannot be started, the call is denied, because the hook may be there to block such calls.
 */
export function hooksOf(
  { hooks: config, sandbox }: Pick<Config, "hooks" | "sandbox">,
  ports: HookPorts,
): ToolHooks & PromptHooks {
  if (Object.values(config).every((hooks) => hooks.length === 0)) return noHooks;
  const run = async (hook: HookConfig, request: HookEvent): Promise<HookEnd> => {
    const { runHook } = await import("./run-hook.ts");
    const { signal, directory, fields } = request;
    const { environment } = ports;
    const { variables } = sandbox;
    const input = `${JSON.stringify({ hook: request.name, directory, ...fields })}\n`;
    return runHook({ hook, input, directory, environment, variables, signal, id: randomUUID() });
  };
  const runAll = async (hooks: readonly HookConfig[], request: HookEvent): Promise<void> => {
    for (const hook of hooks) {
      const { problem } = await run(hook, request);
      if (problem !== null) ports.onError(new Error(`The hook ${request.name} ${problem}.`));
    }
  };
  return {
    beforeTool: async ({ signal, directory, ...fields }) => {
      for (const hook of matching(config.beforeTool, fields.tool)) {
        const end = await run(hook, { name: "beforeTool", signal, directory, fields });
        if (end.problem === null) continue;
        return `A hook denied this call (it ${end.problem}).${quoted(end.output)}`;
      }
      return null;
    },
    afterTool: async ({ signal, directory, ...fields }) => {
      const remarks: string[] = [];
      for (const hook of matching(config.afterTool, fields.tool)) {
        const { problem, output } = await run(hook, {
          name: "afterTool",
          signal,
          directory,
          fields,
        });
        if (problem !== null) remarks.push(`[a hook ${problem}]${quoted(output)}`);
        else if (output !== "") remarks.push(`[output of a hook]${quoted(output)}`);
      }
      return remarks.length === 0 ? null : remarks.join("\n");
    },
    promptAccepted: ({ signal, directory, ...fields }) =>
      runAll(config.promptAccepted, { name: "promptAccepted", signal, directory, fields }),
    settled: ({ signal, directory, ...fields }) =>
      runAll(config.settled, { name: "settled", signal, directory, fields }),
    notice: ({ signal, directory, ...fields }) =>
      runAll(config.notice, { name: "notice", signal, directory, fields }),
  };
}

interface HookEvent extends Pick<HookRequest, "signal" | "directory"> {
  readonly name: string;
  readonly fields: object;
}

function matching(hooks: readonly HookConfig[], tool: HookCall["tool"]): readonly HookConfig[] {
  return hooks.filter(({ match }) => match === null || textGlob(match)(tool));
}

function quoted(output: string): string {
  return output === "" ? "" : `\n${output}`;
}
