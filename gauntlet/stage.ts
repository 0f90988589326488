import { setTimeout as delay } from "node:timers/promises";
import { startModelServer } from "./model-server/model-server.ts";
import { asks, says } from "./model-server/script.ts";
import type { Finish, HeardMessage, ModelCall, Part, Reply } from "./model-server/script.ts";
import { NotOffered } from "./target.ts";
import type { WantedCall } from "./target.ts";

/**
 * The test model that a target calls. Prompts contain a name in brackets, such as `[a]`. The stage records which
 * prompts reached the model and in which order, and answers when a scenario allows it.
 */
export interface Stage {
  readonly address: string;
  /** Returns a prompt text that contains `name` in brackets, such as `[a]`. */
  prompt(name: string): string;
  /** Lets the scenario answer the next call for this prompt. */
  hold(name: string): HeldCall;
  /** Sets the reply to the next call for this prompt. */
  script(name: string, reply: Reply): void;
  /** Sets the reply to every call for this prompt. A reply for the next call takes precedence. */
  scriptAlways(name: string, reply: Reply): void;
  /** Answers the next call for this prompt with this tool call. */
  want(name: string, call: WantedCall): void;
  /** For each call to the model, in order of arrival: the name of the prompt for which the target called. */
  readonly served: readonly string[];
  /** Calls for this prompt, in order of arrival. */
  callsFor(name: string): readonly ModelCall[];
  /** Resolves when the target calls the model for this prompt for the first time. */
  firstCall(name: string): Promise<void>;
  /** Number of model calls that have not ended yet. */
  readonly callsAtWork: number;
  /** Whether any call contained this prompt. */
  sawPrompt(name: string): boolean;
  /** Rejects with the name of the missing feature, if the target does not offer a tool that a scenario needs. */
  readonly lacking: Promise<never>;
  close(): Promise<void>;
}

/** A call that the scenario controls. */
export interface HeldCall {
  /** Resolves when the call has reached the model and the first text is on its way back. */
  readonly arrived: Promise<void>;
  /** Resolves when the tested program no longer waits for the answer to this call. */
  readonly dropped: Promise<void>;
  /** Sends the rest of the answer: text or a tool call. */
  finish(rest?: string | WantedCall): void;
}

export async function openStage(
  options: {
    /** Called when a call reaches the model and when it is dropped. */
    readonly onMoment?: (what: string) => void;
    /** True: if several calls contain the same prompts, count them as one call. */
    readonly isForeign?: boolean;
  } = {},
): Promise<Stage> {
  const { onMoment = () => {}, isForeign = false } = options;
  const served: string[] = [];
  const calls: { name: string; call: ModelCall }[] = [];
  const seen = new Set<string>();
  const moments = new Map<string, () => void>();
  let atWork = 0;
  const knownPrompts = new Set<string>();
  const scripts = new Map<string, (call: ModelCall) => Reply>();
  const always = new Map<string, Reply>();
  const lacking = Promise.withResolvers<never>();
  lacking.promise.catch(() => {});
  let wishes = 0;
  /** A reply that requests a tool call with a new id. */
  const wish = (wanted: WantedCall, { tools }: ModelCall): Reply => {
    const found = typeof wanted === "function" ? wanted(tools) : wanted;
    if ("offer" in found) {
      lacking.reject(new NotOffered(found));
      return says("there is no such tool");
    }
    wishes += 1;
    return asks({ id: `call-${wishes}`, ...found });
  };
  const server = await startModelServer((call) => {
    for (const { text } of call.messages) for (const name of namesIn(text)) seen.add(name);
    // Calls without tools request titles and similar texts, so they do not count.
    if (call.tools.length === 0) return says("A title");
    const name = newest(call);
    // Calls with the same list of prompts belong to one run; an agent may make some of them after its next prompt has
    // started. If the target runs a prompt twice, the conversation contains the prompt twice. The list is then
    // different, so the second run is counted too.
    const prompts = call.messages.flatMap((message) => namesIn(saidByPeople(message))).join();
    const isRepeated = isForeign && knownPrompts.has(prompts);
    knownPrompts.add(prompts);
    if (!isRepeated) served.push(name);
    onMoment(`is asked for ${name}`);
    calls.push({ name, call });
    if (!isRepeated) {
      atWork += 1;
      call.gone.addEventListener("abort", () => (atWork -= 1), { once: true });
    }
    moments.get(name)?.();
    const script = scripts.get(name);
    scripts.delete(name);
    return script?.(call) ?? always.get(name) ?? says(`done with ${name}`);
  });
  return {
    address: server.addresses.openaiChat,
    prompt: (name) => `[${name}] answer in a few words`,
    hold: (name) => {
      const arrived = Promise.withResolvers<void>();
      const dropped = Promise.withResolvers<void>();
      const finished = Promise.withResolvers<string | WantedCall>();
      const drop = (): void => {
        onMoment(`is through with the call for ${name}`);
        dropped.resolve();
      };
      scripts.set(name, (call) => {
        call.gone.addEventListener("abort", drop, { once: true });
        const rest = finished.promise.then((said) =>
          typeof said === "string" ? says(said) : wish(said, call),
        );
        return heldReply(arrived.resolve, rest);
      });
      return {
        arrived: arrived.promise,
        dropped: dropped.promise,
        finish: (rest = `done with ${name}`) => {
          onMoment(`says the rest to ${name}`);
          finished.resolve(rest);
        },
      };
    },
    script: (name, reply) => void scripts.set(name, () => reply),
    scriptAlways: (name, reply) => void always.set(name, reply),
    want: (name, call) => void scripts.set(name, (asked) => wish(call, asked)),
    served,
    callsFor: (name) => calls.filter((made) => made.name === name).map(({ call }) => call),
    firstCall: (name) => {
      if (calls.some((made) => made.name === name)) return Promise.resolve();
      return new Promise((resolve) => void moments.set(name, resolve));
    },
    get callsAtWork() {
      return atWork;
    },
    sawPrompt: (name) => seen.has(name),
    lacking: lacking.promise,
    close: () => server.close(),
  };
}

function heldReply(arrived: () => void, rest: Promise<Reply>): Reply {
  let finish: Finish = "stop";
  async function* parts(): AsyncGenerator<Part> {
    yield { text: "well, " };
    // Give the first text time to arrive before the scenario continues.
    await delay(5);
    arrived();
    yield { wait: rest };
    const said = await rest;
    if ("status" in said) return;
    finish = said.finish ?? finish;
    yield* said.parts;
  }
  return {
    parts: parts(),
    // A getter, because `finish` is set later.
    get finish() {
      return finish;
    },
  };
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/\[([a-z0-9-]+)\] answer/g)].map(([, name = ""]) => name);
}

/** Returns the name of the prompt that a call is for: the last prompt that a person sent. */
function newest({ messages }: ModelCall): string {
  const names = messages.flatMap((message) => namesIn(saidByPeople(message)));
  return names.at(-1) ?? "unknown";
}

/** Returns the text that people wrote in a message. Some clients send it together with tool results. */
function saidByPeople({ role, text, results }: HeardMessage): string {
  if (role === "assistant") return "";
  return results.reduce((rest, result) => rest.replace(result.text, ""), text);
}
