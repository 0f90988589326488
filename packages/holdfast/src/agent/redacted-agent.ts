import { AgentFailure } from "./agent.ts";
import type { Agent, AgentContext, Fact } from "./agent.ts";
import type { Redactor, RedactorStream } from "./redact.ts";

/** The same agent, with no secret in anything that it says: facts, questions, prompts, errors. */
export function redactedAgent(agent: Agent, redactor: Redactor): Agent {
  return { name: agent.name, run: (context) => redactedRun(agent, redactor, context) };
}

async function* redactedRun(
  agent: Agent,
  redactor: Redactor,
  context: AgentContext,
): AsyncGenerator<Fact> {
  const deltas = createDeltas(redactor);
  try {
    for await (const fact of agent.run(redactedContext(context, redactor))) {
      if (fact.type === "delta") yield* deltas.push(fact);
      else {
        yield* deltas.end();
        yield redactAll(redactor, fact);
      }
    }
  } catch (error) {
    throw redactedError(error, redactor);
  }
}

function redactedContext(context: AgentContext, redactor: Redactor): AgentContext {
  return {
    ...context,
    // A getter of the runner's: it grows while the run goes on.
    get prompts() {
      return context.prompts;
    },
    ask: (ask) => context.ask(redactAll(redactor, ask)),
    child: (child) => context.child(redactAll(redactor, child)),
    background: (child) => context.background(redactAll(redactor, child)),
  };
}

type Delta = Extract<Fact, { type: "delta" }>;

/** A secret may be split between two pieces of a stream; each stream holds back what it must. */
function createDeltas(redactor: Redactor): {
  push(delta: Delta): Iterable<Delta>;
  end(): Iterable<Delta>;
} {
  const open = new Map<string, { delta: Delta; stream: RedactorStream }>();
  const shown = (delta: Delta, text: string): Delta[] => (text === "" ? [] : [{ ...delta, text }]);
  return {
    push: (delta) => {
      if (delta.kind === "restart") {
        open.clear();
        return [redactAll(redactor, delta)];
      }
      const key = `${delta.kind} ${delta.callId ?? ""}`;
      const entry = open.get(key) ?? { delta, stream: redactor.stream() };
      open.set(key, entry);
      return shown(delta, entry.stream.push(delta.text));
    },
    end: () => {
      const rest = [...open.values()].flatMap(({ delta, stream }) => shown(delta, stream.end()));
      open.clear();
      return rest;
    },
  };
}

/** Every text in it, at any depth; the shape stays. */
function redactAll<Value>(redactor: Redactor, value: Value): Value;
function redactAll(redactor: Redactor, value: unknown): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (Array.isArray(value)) return value.map((item) => redactAll(redactor, item));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactor.redact(key), redactAll(redactor, item)]),
  );
}

function redactedError(error: unknown, redactor: Redactor): unknown {
  if (!(error instanceof Error)) return error;
  const message = redactor.redact(error.message);
  if (message === error.message && error.cause === undefined) return error;
  if (error instanceof AgentFailure) {
    const { reason, hold } = error;
    return new AgentFailure(reason, message, hold === null ? {} : { hold });
  }
  // The runner tells its own errors by their class; they carry nothing of a model's.
  if (message === error.message) return error;
  return new Error(message);
}
