import { join } from "node:path";
import type { TestContext } from "node:test";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/agent/tools/tool.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

/** A directory that only one test uses, and a session that works in it. */
export interface Workbench {
  readonly directory: string;
  readonly context: ToolContext;
  /** Progress texts that people would see. */
  readonly progress: string[];
  readonly path: (...names: string[]) => string;
  /** Runs a tool and remembers what the session has seen, as the model loop does. */
  readonly use: <Input>(
    tool: Tool<Input>,
    input: Input,
    more?: Partial<ToolContext>,
  ) => Promise<ToolResult>;
}

export function temporaryFolder(test: TestContext): string {
  const folder = scratchFolder(test, "tools");
  return folder;
}

function unexpected(): never {
  throw new Error("this test has nobody to ask");
}

export function workbench(test: TestContext, options: Partial<ToolContext> = {}): Workbench {
  const directory = options.directory ?? temporaryFolder(test);
  const seen = new Map<string, string>();
  const progress: string[] = [];
  const context: ToolContext = {
    directory,
    sessionId: "s1",
    runId: "r1",
    callId: "c1",
    signal: new AbortController().signal,
    mayAct: () => true,
    settings: defaultToolSettings,
    progress: (text) => progress.push(text),
    seen: (path) => seen.get(path) ?? null,
    mayRead: () => true,
    agent: { ask: unexpected, child: unexpected, background: unexpected },
    ...options,
  };
  return {
    directory,
    context,
    progress,
    path: (...names) => join(directory, ...names),
    use: async (tool, input, more = {}) => {
      const { signal } = { ...context, ...more };
      const mayAct = options.mayAct ?? (() => !signal.aborted);
      const result = await tool.run(input, { ...context, mayAct, ...more });
      for (const { path, hash } of result.extra?.seen ?? []) seen.set(path, hash);
      return result;
    },
  };
}
