import { appendFileSync } from "node:fs";
import { setImmediate as nextRound } from "node:timers/promises";
import type { Agent, AgentContext, Fact } from "../../../src/agent/agent.ts";
import type { CallRequest } from "../../../src/agent/message.ts";
import type { CallName, Plan, Point } from "./job.ts";

/** Reports the part of its work that a process is in. */
export type During = <T>(point: Point, work: () => Promise<T>) => Promise<T>;

/** An agent that follows the plan in its prompt, and continues after a crash where the log ends. */
export function createSoakAgent(options: { effectsFile: string; during: During }): Agent {
  const { effectsFile, during } = options;

  async function* useTool(context: AgentContext, call: CallRequest): AsyncGenerator<Fact> {
    const { callId, name } = call;
    if (!call.repeatable) yield { type: "toolStart", callId };
    const output = await during("tool", async () => {
      await nextRound();
      if (name === "write") appendFileSync(effectsFile, `${callId}\n`);
      if (name === "child" || name === "background") return send(context, call);
      if (name === "wait") await stopped(context.signal);
      await nextRound();
      return "done";
    });
    yield { type: "toolEnd", callId, status: "completed", output };
  }

  return {
    name: "soak",
    async *run(context) {
      for (const call of context.openCalls) yield* useTool(context, call);
      const plan = planOf(context);
      const messages = await context.conversation();
      const own = messages.filter(
        (message) => message.role === "assistant" && message.runId === context.runId,
      );
      let taken = own.length;
      do {
        await context.boundary();
        if (plan.kills === true) process.kill(process.pid, "SIGKILL");
        await during("streaming", async () => {
          for (let piece = 0; piece < 3; piece += 1) await nextRound();
        });
        yield { type: "delta", kind: "text", text: "thinking" };
        const calls = plan.calls.map((name, index) => callOf(name, [context.runId, taken, index]));
        taken += 1;
        const last = taken >= plan.steps;
        yield { type: "answer", text: `step ${taken}`, calls: last ? [] : calls };
        if (!last) for (const call of calls) yield* useTool(context, call);
      } while (taken < plan.steps);
    },
  };
}

const oneStep: Plan = { steps: 1, calls: [] };

function planOf(context: AgentContext): Plan {
  const text = context.prompts[0]?.text ?? "";
  return text.startsWith("{") ? JSON.parse(text) : oneStep;
}

/** A call has the same id in every attempt, so a repeated action is detected. */
function callOf(name: CallName, place: readonly (string | number)[]): CallRequest {
  return { callId: place.join("."), name, input: null, repeatable: name !== "write" };
}

async function send(context: AgentContext, call: CallRequest): Promise<string> {
  const { callId, name } = call;
  const plan: Plan = { steps: 2, calls: ["write"] };
  const child = { sessionId: `child-${callId}`, promptId: callId, text: JSON.stringify(plan) };
  if (name === "background") {
    await context.background(child);
    return "begun";
  }
  const { outcome } = await context.child(child);
  return outcome.status;
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
