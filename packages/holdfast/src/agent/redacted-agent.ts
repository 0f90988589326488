import { AgentFailure } from "./agent.ts";
import type { Agent, AgentContext, Fact, ToolIntent } from "./agent.ts";
import type { Redactor, RedactorStream } from "./redact.ts";

/** The same agent, with no secret in anything that it says: facts, questions, prompts, errors. */
export function redactedAgent(agent: Agent, redactor: Redactor): Agent {
  const { name, opensWithStep = false } = agent;
  const title: Agent["title"] = async (prompt, context) => {
    const found = (await agent.title?.(prompt, context)) ?? null;
    return found === null ? null : redactor.redact(found);
  };
  return { name, opensWithStep, run: (context) => redactedRun(agent, redactor, context), title };
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
        yield* deltas.end(fact);
        yield redactedFact(redactor, fact);
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
    ask: ({ question, extra, ...ask }) =>
      context.ask({ ...ask, question: redactor.redact(question), extra: inAll(redactor, extra) }),
    child: ({ text, ...child }) => context.child({ ...child, text: redactor.redact(text) }),
    background: ({ text, ...child }) =>
      context.background({ ...child, text: redactor.redact(text) }),
  };
}

type Delta = Extract<Fact, { type: "delta" }>;
type Durable = Exclude<Fact, Delta>;

/** What a fact says; what it is and which call it belongs to are ours, and hold no secret. */
function redactedFact(redactor: Redactor, fact: Durable): Durable {
  switch (fact.type) {
    case "answer": {
      const { text, calls = [], extra } = fact;
      return {
        ...fact,
        text: redactor.redact(text),
        calls: calls.map((call) => ({
          ...call,
          name: redactor.redact(call.name),
          input: inAll(redactor, call.input),
        })),
        extra: inAll(redactor, extra),
      };
    }
    case "toolStart": {
      const { intent, ...start } = fact;
      return intent === undefined ? fact : { ...start, intent: redactedIntent(redactor, intent) };
    }
    case "toolEnd": {
      const { files = [], ...end } = fact;
      const { output, extra } = end;
      const kept = files.filter(({ content }) => !holdsSecret(redactor, content));
      const words = kept.length === files.length ? output : `${output}\n${notShown}`;
      return {
        ...end,
        output: redactor.redact(words),
        extra: inAll(redactor, extra),
        ...(kept.length === 0 ? {} : { files: inAll(redactor, kept) }),
      };
    }
    case "result":
      return { ...fact, text: redactor.redact(fact.text) };
  }
}

const notShown = "[A file is not shown: it holds a secret.]";

function holdsSecret(redactor: Redactor, content: Uint8Array): boolean {
  const text = Buffer.from(content).toString("utf8");
  return redactor.redact(text) !== text;
}

/** A file with a secret in it cannot be kept: what is left out would not bring it back. */
function redactedIntent(redactor: Redactor, { summary, files }: ToolIntent): ToolIntent {
  const kept = files.filter(({ path, before }) => {
    const isOpen = before === null || !holdsSecret(redactor, before);
    return isOpen && redactor.redact(path) === path;
  });
  const left = files.length - kept.length;
  const note = left === 0 ? "" : " (a file's old content is not kept: it holds a secret)";
  return { summary: `${redactor.redact(summary)}${note}`, files: kept };
}

/** A secret may be split between two pieces of a stream; each stream holds back what it must. */
function createDeltas(redactor: Redactor): {
  push(delta: Delta): Iterable<Delta>;
  /** The rest of the streams that the fact is the end of. */
  end(fact: Durable): Iterable<Delta>;
} {
  const open = new Map<string, { delta: Delta; stream: RedactorStream }>();
  const shown = (delta: Delta, text: string): Delta[] => (text === "" ? [] : [{ ...delta, text }]);
  const endsWith = (fact: Durable, { kind, callId }: Delta): boolean =>
    fact.type === "toolEnd" ? callId === fact.callId : fact.type !== "toolStart" && kind !== "tool";
  return {
    push: (delta) => {
      if (delta.kind === "restart") {
        open.clear();
        return [{ ...delta, text: redactor.redact(delta.text) }];
      }
      const key = `${delta.kind} ${delta.callId ?? ""}`;
      const entry = open.get(key) ?? { delta, stream: redactor.stream() };
      open.set(key, entry);
      return shown(delta, entry.stream.push(delta.text));
    },
    end: (fact) => {
      const ended = [...open].filter(([, { delta }]) => endsWith(fact, delta));
      for (const [key] of ended) open.delete(key);
      return ended.flatMap(([, { delta, stream }]) => shown(delta, stream.end()));
    },
  };
}

/** Every text in it, at any depth; the shape stays. */
function inAll<Value>(redactor: Redactor, value: Value): Value;
function inAll(redactor: Redactor, value: unknown): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (Array.isArray(value)) return value.map((item) => inAll(redactor, item));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactor.redact(key), inAll(redactor, item)]),
  );
}

function redactedError(error: unknown, redactor: Redactor): unknown {
  if (!(error instanceof Error)) return error;
  const message = redactor.redact(error.message);
  if (error instanceof AgentFailure) {
    const { reason, hold } = error;
    return new AgentFailure(reason, message, hold === null ? {} : { hold });
  }
  // The runner tells its own errors by their class; they carry nothing of a model's.
  return message === error.message ? error : new Error(message);
}
