import { AgentFailure } from "./agent.ts";
import type { Agent, AgentContext, Fact, ToolIntent } from "./agent.ts";
import type { Redactor, RedactorStream } from "./redact.ts";

/** Wraps an agent and removes secrets from its facts, titles, questions, prompts to child sessions and errors. */
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
    // A getter, because the list of prompts grows during the run.
    get prompts() {
      return context.prompts;
    },
    ask: ({ question, extra, preview, ...ask }) =>
      context.ask({
        ...ask,
        question: redactor.redact(question),
        extra: redactAll(redactor, extra),
        ...(preview === undefined ? {} : { preview: redactor.redact(preview) }),
      }),
    child: ({ text, ...child }) => context.child({ ...child, text: redactor.redact(text) }),
    background: ({ text, ...child }) =>
      context.background({ ...child, text: redactor.redact(text) }),
  };
}

type Delta = Extract<Fact, { type: "delta" }>;
type Durable = Exclude<Fact, Delta>;

/** Redacts the content of a fact. Its type and call id come from Holdfast and contain no secret. */
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
          input: redactAll(redactor, call.input),
        })),
        extra: redactAll(redactor, extra),
      };
    }
    case "toolStart": {
      const { intent, ...start } = fact;
      return intent === undefined ? fact : { ...start, intent: redactedIntent(redactor, intent) };
    }
    case "toolEnd": {
      const { files = [], ...end } = fact;
      const { output, extra } = end;
      const kept = files.filter(({ content }) => !containsSecret(redactor, content));
      const words = kept.length === files.length ? output : `${output}\n${fileRemoved}`;
      return {
        ...end,
        output: redactor.redact(words),
        extra: redactAll(redactor, extra),
        ...(kept.length === 0 ? {} : { files: redactAll(redactor, kept) }),
      };
    }
    case "result":
      return { ...fact, text: redactor.redact(fact.text) };
  }
}

const fileRemoved = "[A file is not shown because it contains a secret.]";

function containsSecret(redactor: Redactor, content: Uint8Array): boolean {
  const text = Buffer.from(content).toString("utf8");
  return redactor.redact(text) !== text;
}

/**
 * Redacts the summary. Drops each file that contains a secret: the content is stored to undo a change, and a redacted
 * content would damage the file.
 */
function redactedIntent(redactor: Redactor, { summary, files }: ToolIntent): ToolIntent {
  const kept = files.filter(({ path, before }) => {
    const isOpen = before === null || !containsSecret(redactor, before);
    return isOpen && redactor.redact(path) === path;
  });
  const left = files.length - kept.length;
  const note =
    left === 0 ? "" : " (the old content of a file is not stored because it contains a secret)";
  return { summary: `${redactor.redact(summary)}${note}`, files: kept };
}

/** Redacts deltas. A secret may be split between two deltas, so each stream holds back a possible beginning. */
function createDeltas(redactor: Redactor): {
  push(delta: Delta): Iterable<Delta>;
  /**
   * Call this when the agent records an answer, a tool result or a final result. Closes the text streams that are
   * complete then, and returns the text that was held back in these streams.
   */
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

/** Redacts every string in a value at any depth, and keeps its structure. */
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
  if (error instanceof AgentFailure) {
    const { reason, hold } = error;
    return new AgentFailure(reason, message, hold === null ? {} : { hold });
  }
  // Keep an error without a secret as it is, because the runner recognizes its own errors by their class.
  return message === error.message ? error : new Error(message);
}
