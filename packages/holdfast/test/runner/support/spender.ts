import type { Agent, AgentContext, ChildRequest, Fact } from "../../../src/agent/agent.ts";

/** Ways in which a run starts its children: waiting for them, in the background, or alternating. */
export type Manner = "foreground" | "background" | "mixed";

/** The work that a prompt for the spender asks for. The text of the prompt is this object as JSON. */
export interface Errand {
  /** Levels of runs below this one. */
  readonly depth: number;
  /** Children of each run that is not at the bottom. */
  readonly width: number;
  readonly manner: Manner;
  /** Steps that a run at the bottom takes, of a dollar each. */
  readonly steps: number;
}

/** An agent that starts a tree of runs, all of which would spend much more than they may. */
export const spender: Agent = { name: "spender", run };

export function errandText(errand: Errand): string {
  return JSON.stringify(errand);
}

async function* run(context: AgentContext): AsyncGenerator<Fact> {
  const [prompt] = context.prompts;
  if (prompt === undefined || prompt.resultOf !== null) {
    yield { type: "result", text: "heard of it" };
    return;
  }
  const errand: Errand = JSON.parse(prompt.text);
  if (errand.depth === 0) {
    for (let step = 0; step < errand.steps; step += 1) {
      await context.boundary();
      yield { type: "answer", text: `step ${step}`, usage: dollar };
    }
  } else {
    await context.boundary();
    yield { type: "answer", text: "to work" };
    await startChildren(context, errand);
  }
  yield { type: "result", text: "done" };
}

const dollar = { inputTokens: 1, outputTokens: 0, cost: 1 };

async function startChildren(context: AgentContext, errand: Errand): Promise<void> {
  const { depth, width, manner } = errand;
  const text = errandText({ ...errand, depth: depth - 1 });
  const waits: Promise<unknown>[] = [];
  for (let number = 0; number < width; number += 1) {
    const name = `${context.sessionId}.${number}`;
    const child: ChildRequest = { sessionId: name, promptId: `job-${name}`, text };
    const background = manner === "background" || (manner === "mixed" && number % 2 === 1);
    waits.push(background ? context.background(child) : context.child(child));
  }
  await Promise.all(waits);
}
