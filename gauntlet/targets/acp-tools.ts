import type { Offer, ToolCall, WantedCall } from "../target.ts";

// ACP does not define which tools an agent has. These functions look for well-known names among the tools that the
// model is offered.

/** Tools that run a command line, with the input that each expects. */
const shells: readonly [name: RegExp, input: (line: string) => object][] = [
  [/^bash$/i, (command) => ({ command, description: "as asked" })],
  [
    /^run_shell_command$/,
    (command) => ({ command, description: "as asked", is_background: false }),
  ],
  [/^exec_command$/, (cmd) => ({ cmd, yield_time_ms: 30_000 })],
  [/^(shell|execute|execute_command|run_command|terminal)$/i, (command) => ({ command })],
];

export function foundCommand(line: string): WantedCall {
  return (tools) => {
    for (const [pattern, input] of shells) {
      const name = tools.find((tool) => pattern.test(tool));
      if (name !== undefined) return { name, input: input(line) };
    }
    return missing("commands", tools);
  };
}

/** Finds the tool of an MCP server. Most agents combine both names; some put tools into groups. */
export function foundMcp(server: string, tool: string): WantedCall {
  return (tools) => {
    const own = tools.filter((name) => name.includes(server));
    const name = own.find((candidate) => candidate.endsWith(tool));
    if (name !== undefined) return { name, input: {} } satisfies ToolCall;
    const group = own.find((candidate) => candidate.endsWith(server));
    if (group !== undefined) return { name: tool, namespace: group, input: {} } satisfies ToolCall;
    return missing("mcp", tools);
  };
}

function missing(offer: Offer, tools: readonly string[]): { offer: Offer; why: string } {
  return { offer, why: `the model is offered nothing that looks like it, but ${tools.join(", ")}` };
}
