import type { Usage } from "../../kernel/state.ts";
import type { AgentContext, Fact } from "../agent.ts";
import { addUsage } from "../coding/sampling.ts";
import type { CallRequest } from "../message.ts";
import type { ForeignSession } from "./foreign-session.ts";
import type { HostedExtra } from "./past-turns.ts";
import type { ContextUse, PlanItem } from "./updates.ts";

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cost: 0 };

/** A long answer is committed in parts: a part is committed when it has more characters than this. */
const maxText = 200_000;

/** Result of the tool call that represents the turn in the log. */
export type TurnResult = Pick<Extract<Fact, { type: "toolEnd" }>, "callId" | "status" | "output">;

/** Commits the answers of a hosted agent during a turn, as steps within the tool call that represents the turn (H1). */
export class TurnSteps {
  readonly #context: AgentContext;
  readonly #session: ForeignSession;
  readonly #agent: string;
  readonly #turnId: string;
  #text = "";
  #reasoning = "";
  #isOpen = false;
  #numbers = 0;
  #cost: number;
  /** Highest total cost that was charged in this turn; null: the agent has not reported a cost in this turn. */
  #charged: number | null = null;
  #contextUse: ContextUse | null = null;
  #usage: Usage = noUsage;

  constructor(options: {
    readonly context: AgentContext;
    readonly session: ForeignSession;
    readonly agent: string;
    readonly turnId: string;
    /** Total cost of the agent's session before this turn. */
    readonly cost: number;
  }) {
    this.#context = options.context;
    this.#session = options.session;
    this.#agent = options.agent;
    this.#turnId = options.turnId;
    this.#cost = options.cost;
  }

  get isStopping(): boolean {
    return this.#context.signal.aborted;
  }

  /** True if a step is open, so that text can be committed even while the run stops. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get hasText(): boolean {
    return this.#text !== "" || this.#reasoning !== "";
  }

  newId(): string {
    this.#numbers += 1;
    return `${this.#turnId}.${this.#numbers}`;
  }

  /**
   * Adds text to the step, and opens a step if none is open. `isEnding`: the turn has already ended, so `say` opens no
   * step, and `end` commits the text.
   */
  async *say(
    type: "text" | "thought",
    words: string,
    { isEnding = false } = {},
  ): AsyncGenerator<Fact> {
    // Drop text that arrives without an open step while the run stops, because a stopping run opens no step.
    if (!this.#isOpen && this.isStopping) return;
    if (!isEnding) await this.open();
    if (type === "text") this.#text += words;
    else this.#reasoning += words;
    if (isEnding) return;
    yield { type: "delta", kind: type === "text" ? "text" : "reasoning", text: words };
    if (this.#text.length + this.#reasoning.length > maxText) yield* this.answer([]);
  }

  /**
   * Opens a step. `takes`: ids of prompts that were sent during the run and that the agent has accepted. These prompts
   * join the run together with the step (H6).
   */
  async open(takes: readonly string[] = []): Promise<void> {
    if (this.#isOpen && takes.length === 0) return;
    await this.#context.boundary({ within: this.#turnId, takes });
    this.#isOpen = true;
  }

  /** Commits the text so far and the calls that follow it as an answer. */
  async *answer(calls: readonly CallRequest[], { interrupted = false } = {}): AsyncGenerator<Fact> {
    await this.open();
    yield this.#take(calls, { interrupted });
  }

  /** Commits the rest of the text and the end of the turn together. `last`: the commit also ends the run. */
  *end(ends: TurnResult, { last }: { last: boolean }): Generator<Fact> {
    yield { ...this.#take([], { interrupted: false }), within: this.#turnId, ends, last };
  }

  #take(
    calls: readonly CallRequest[],
    { interrupted }: { interrupted: boolean },
  ): Extract<Fact, { type: "answer" }> {
    const extra: HostedExtra = {
      kind: "hosted",
      model: modelName(this.#session, this.#agent),
      reasoning: this.#reasoning,
      ...(this.#contextUse === null ? {} : { context: this.#contextUse }),
      hosted: { agent: this.#agent, session: this.#session.id, cost: this.#cost },
    };
    const [text, usage] = [this.#text, this.#usage];
    this.#text = "";
    this.#reasoning = "";
    this.#usage = noUsage;
    this.#isOpen = false;
    return { type: "answer", text, calls, usage, interrupted, extra };
  }

  /** Records the agent's plan as a call of the todo tool, so that people see it like any other todo list. */
  async *plan(items: readonly PlanItem[]): AsyncGenerator<Fact> {
    if (this.isStopping) return;
    const callId = this.newId();
    yield* this.answer([{ callId, name: "todo", input: { items }, repeatable: false, seen: true }]);
    const output = items.map(({ text, status }) => `${boxes[status]} ${text}`).join("\n");
    yield { type: "toolEnd", callId, status: "completed", output, extra: { todo: items } };
  }

  /** Adds token usage, which is recorded with the next answer. */
  use(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  /** Sets the use of the agent's context, which is recorded with the next answers of the turn. */
  setContext(use: ContextUse): void {
    this.#contextUse = use;
  }

  /**
   * Records the total cost that the agent reports for its session. A cost limit is checked immediately (P6). A lower
   * total at the start of a turn means that a new process of the agent counts from zero. During a turn, it is a
   * correction: nothing is charged or returned.
   */
  async *charge(amount: number): AsyncGenerator<Fact> {
    const before = this.#charged ?? (amount < this.#cost ? 0 : this.#cost);
    const spent = Math.max(0, amount - before);
    this.#charged = Math.max(before, amount);
    this.#cost = amount;
    this.use({ ...noUsage, cost: spent });
    if (spent === 0 || this.isStopping || (await this.#context.hasCostLimit?.()) !== true) return;
    yield* this.answer([]);
    await this.open();
  }
}

/** Returns the name of the agent's software and of its current model, for display. */
export function modelName(session: ForeignSession, agent: string): string {
  const program = session.software === "" ? agent : session.software;
  const { model } = session.choices();
  return model === null ? program : `${program}, ${model}`;
}

const boxes = { open: "[ ]", active: "[>]", done: "[x]" } as const;
