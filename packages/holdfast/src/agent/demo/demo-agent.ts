import type { Agent, AgentContext, Fact } from "../agent.ts";
import { asksToCompact } from "../compact-command.ts";
import type { Message, UserMessage } from "../message.ts";
import { withoutFaults } from "./faults.ts";
import { demoName } from "./identity.ts";
import { parseScript } from "./instruction.ts";
import { performCalls, performStep } from "./perform-step.ts";
import type { Step } from "./perform-step.ts";
import { demoText } from "./words.ts";

export interface DemoOptions {
  /** True: obey instructions that harm the whole process (`crash`, `block` and `flood`). */
  readonly faults: boolean;
}

/**
 * Creates an agent without a model, to try out and test Holdfast: offline and deterministic. The prompt
 * contains its instructions (docs/DEMO.md). It reads the progress of a run only from the log.
 */
export function createDemoAgent(options: DemoOptions): Agent {
  return { name: demoName, run: (context) => run(context, options) };
}

async function* run(context: AgentContext, options: DemoOptions): AsyncGenerator<Fact> {
  // Perform the calls that a crash left open. A call with the instruction to crash must not crash again.
  yield* performCalls(context, { calls: context.openCalls, mayCrash: false });
  const done = doneSteps(await context.conversation(), context.runId);
  const left: Step[] = [];
  let read = 0;
  for (;;) {
    // Read only the new prompts: those that joined the run later are at the end of the list.
    const steps = stepsOf(context.prompts.slice(read), options);
    read = context.prompts.length;
    left.push(...steps.filter(({ key }) => !done.has(key)));
    const step = left.shift();
    if (step === undefined) break;
    await context.boundary();
    yield* performStep(context, step);
    if (context.signal.aborted) return;
  }
  yield { type: "result", text: resultText(await context.conversation(), context.runId) };
}

function stepsOf(prompts: readonly UserMessage[], options: DemoOptions): Step[] {
  return prompts.flatMap((prompt) =>
    scriptOf(prompt).map((instruction, index) => ({
      key: `${prompt.promptId}/${index}`,
      instruction: options.faults ? instruction : withoutFaults(instruction),
    })),
  );
}

/**
 * Parses the instructions in a prompt. The result of a child session, or a compaction request, contains no
 * instructions: for such a prompt, the demo agent only prints a line about it.
 */
function scriptOf(prompt: UserMessage): ReturnType<typeof parseScript> {
  const { resultOf, text } = prompt;
  if (asksToCompact(prompt)) {
    const news = "no model is connected, so there is no conversation to summarize.";
    return [{ type: "say", text: news, every: 0 }];
  }
  if (resultOf === null) return parseScript(text);
  const { sessionId, outcome } = resultOf;
  const reason = outcome.reason === null ? "" : ` (${outcome.reason})`;
  const news = `background child ${sessionId} ${outcome.status}${reason}: ${text}`;
  return [{ type: "say", text: news, every: 0 }];
}

function doneSteps(conversation: readonly Message[], runId: string): Set<string> {
  const keys = conversation.flatMap((message) => {
    if (message.role !== "assistant" || message.runId !== runId || message.interrupted) return [];
    const { extra } = message;
    const known = typeof extra === "object" && extra !== null && "step" in extra;
    return known && typeof extra.step === "string" ? [extra.step] : [];
  });
  return new Set(keys);
}

/** Returns the text of the last answer, or the results of its calls. */
function resultText(conversation: readonly Message[], runId: string): string {
  const answer = conversation.findLast(
    (message) => message.role === "assistant" && message.runId === runId,
  );
  if (answer?.role !== "assistant") return demoText("there was nothing to do.");
  if (answer.calls.length === 0) return answer.text;
  const lines = answer.calls.map(({ callId, name }) => {
    const result = conversation.findLast(
      (message) => message.role === "tool" && message.callId === callId,
    );
    return result?.role === "tool" && result.output !== ""
      ? result.output
      : demoText(`${name}: ${result?.role === "tool" ? result.status : "no result"}`);
  });
  return lines.join("\n");
}
