import type { Missing, ToolCall } from "../../../../../../gauntlet/target.ts";
import { foundCommand, foundMcp } from "../../../../../../gauntlet/targets/acp-tools.ts";
import { asks, says } from "../../../../../../gauntlet/model-server/script.ts";
import type {
  HeardMessage,
  ModelCall,
  Part,
  Reply,
  Script,
} from "../../../../../../gauntlet/model-server/script.ts";
import { waitFor } from "../../../support/wait-for.ts";

// A scripted model for real agents. It obeys the lines of a prompt, which have the syntax of the stub agent: `say w-1`
// says the word, `ask w-1` runs a command that records the word, `stay w-1` runs a command that also waits until the
// test releases the word and leaves a process behind, and `wait w-1` waits without a command. `pass w-1 say codex qwen`
// gives a task to the agent `codex`, and that one to `qwen`, which gets the line `say w-1`.

export interface ScriptOptions {
  /** The shell command that records a word. `stays`: the command waits, and leaves a process behind. */
  readonly command: (word: string, stays: boolean) => string;
  readonly isReleased: (word: string) => boolean;
}

export interface ScriptedModel {
  readonly script: Script;
  /** Words whose `wait` has begun. */
  readonly waiting: ReadonlySet<string>;
}

interface Line {
  readonly verb: string;
  readonly word: string;
  /** For `pass`: the verb of the last task, and the agents to pass it through. */
  readonly last?: string;
  readonly agents?: readonly string[];
}

export function createScript(options: ScriptOptions): ScriptedModel {
  const waiting = new Set<string>();
  const script = (call: ModelCall): Reply => {
    // A call without tools asks only for a title or a summary.
    if (call.tools.length === 0) return says("Title");
    const { lines, answered } = readRequest(call.messages);
    if (lines.length === 0) return says("There is nothing to do.");
    const left = lines.slice(afterAsks(lines, answered));
    const next = left.findIndex(isCommand);
    const spoken = next === -1 ? left : left.slice(0, next);
    const wanted = left[next];
    const begin = speak(spoken, { waiting, call, ...options });
    if (wanted === undefined) return { parts: begin };
    const tool =
      wanted.verb === "pass"
        ? taskCall(wanted, call.tools)
        : commandCall(options.command(wanted.word, wanted.verb === "stay"), call.tools);
    if ("offer" in tool) return says(`The model has no such tool: ${tool.why}`);
    const id = `call_${call.index}_${wanted.word.replaceAll("-", "_")}`;
    const request = asks({ ...tool, input: escalated(tool), id });
    if (!("parts" in request)) return request;
    return { ...request, parts: joined(begin, request.parts) };
  };
  return { script, waiting };
}

/** The lines of the last request, and how many of its commands have results. */
function readRequest(messages: readonly HeardMessage[]): {
  lines: readonly Line[];
  answered: number;
} {
  const requests = messages.map(({ role, text }) => (role === "user" ? linesOf(text) : []));
  const last = messages.findLastIndex(
    ({ role, text }, index) =>
      (requests[index]?.length ?? 0) > 0 || (role === "user" && isContinuation(text)),
  );
  // Told to continue, the model does the whole request again, as the least careful model would.
  const lines = requests.slice(0, last + 1).findLast(({ length }) => length > 0) ?? [];
  const answered = messages.slice(last).flatMap(({ results }) => results).length;
  return { lines, answered };
}

function isContinuation(text: string): boolean {
  return text.includes("Your previous turn was interrupted");
}

function linesOf(text: string): readonly Line[] {
  const current = text.split("</transcript>").at(-1) ?? "";
  const pattern = /(say|ask|stay|wait|pass) (w-[\w-]+)(?: (say|wait)((?: (?!say|wait)[a-z]+)+))?/g;
  return [...current.matchAll(pattern)].map(([, verb = "", word = "", last = "", agents = ""]) =>
    verb === "pass" ? { verb, word, last, agents: agents.trim().split(" ") } : { verb, word },
  );
}

function isCommand({ verb }: Line): boolean {
  return ["ask", "stay", "pass"].includes(verb);
}

function commandCall(command: string, tools: readonly string[]): ToolCall | Missing {
  const found = foundCommand(command);
  return typeof found === "function" ? found(tools) : found;
}

/** Returns the call that gives the task to the next agent: of Holdfast's MCP server, or of Holdfast's own agent. */
function taskCall(
  { word, last = "", agents = [] }: Line,
  tools: readonly string[],
): ToolCall | Missing {
  const [agent, ...rest] = agents;
  const line = rest.length === 0 ? `${last} ${word}` : `pass ${word} ${last} ${rest.join(" ")}`;
  const input = { agent, prompt: `${line}\nsay ${word}` };
  const found = foundMcp("holdfast", "task");
  const tool = typeof found === "function" ? found(tools) : found;
  if (!("offer" in tool)) return { ...tool, input };
  return tools.includes("task") ? { name: "task", input } : tool;
}

/** Index of the first line after this many commands. */
function afterAsks(lines: readonly Line[], count: number): number {
  const asked = lines.flatMap((line, index) => (isCommand(line) ? [index] : []));
  return count === 0 ? 0 : (asked[count - 1] ?? lines.length - 1) + 1;
}

/** Codex asks for permission only if the model wants to run a command outside of Codex's sandbox. */
function escalated({ name, input }: { name: string; input: unknown }): unknown {
  if (name !== "exec_command" || typeof input !== "object") return input;
  return { ...input, sandbox_permissions: "require_escalated", justification: "as asked" };
}

async function* speak(
  lines: readonly Line[],
  options: ScriptOptions & { waiting: Set<string>; call: ModelCall },
): AsyncGenerator<Part> {
  const { waiting, call, isReleased } = options;
  for (const { verb, word } of lines) {
    yield { text: `${word} ` };
    if (verb !== "wait") continue;
    waiting.add(word);
    const wait = waitFor(() => isReleased(word) || call.gone.aborted, {
      describe: `the file ${word}`,
      limit: 3_600_000,
    });
    yield { wait };
  }
}

async function* joined(
  first: AsyncIterable<Part>,
  second: Iterable<Part> | AsyncIterable<Part>,
): AsyncGenerator<Part> {
  yield* first;
  yield* second;
}
