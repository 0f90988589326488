import { setTimeout as delay } from "node:timers/promises";
import { startModelServer } from "./model-server/model-server.ts";
import { asks, says } from "./model-server/script.ts";
import type { Finish, HeardMessage, ModelCall, Part, Reply } from "./model-server/script.ts";
import { NotOffered } from "./target.ts";
import type { WantedCall } from "./target.ts";

/**
 * The model behind a target. Prompts carry a name in brackets, such as `[a]`; the stage knows which
 * of them reached the model, in which order, and answers when a scenario lets it.
 */
export interface Stage {
  readonly address: string;
  /** Text for a prompt that the stage will know again. */
  prompt(name: string): string;
  /** The next call for this prompt is answered only by hand. */
  hold(name: string): HeldCall;
  /** The next call for this prompt is answered like this. */
  script(name: string, reply: Reply): void;
  /** Every call for this prompt is answered like this, until something else is said. */
  scriptAlways(name: string, reply: Reply): void;
  /** The next call for this prompt is answered with the wish that this be done. */
  want(name: string, call: WantedCall): void;
  /** Names of the prompts that runs were for, once per call, in order of arrival. */
  readonly served: readonly string[];
  /** The calls for this prompt, in order of arrival. */
  callsFor(name: string): readonly ModelCall[];
  /** Resolves when the model is asked for this prompt the first time. */
  firstCall(name: string): Promise<void>;
  /** How many calls for prompts are not over. */
  readonly callsAtWork: number;
  /** Whether the model was ever shown this prompt. */
  sawPrompt(name: string): boolean;
  /** Rejects with what the target lacks, once a call that was wanted cannot be made. */
  readonly lacking: Promise<never>;
  close(): Promise<void>;
}

/** A call that is in the scenario's hands. */
export interface HeldCall {
  /** Resolves when it has reached the model and its first words are on the way back. */
  readonly arrived: Promise<void>;
  /** Resolves when the target has given it up. */
  readonly dropped: Promise<void>;
  /** Sends the rest: words, or what the model wants done. */
  finish(rest?: string | WantedCall): void;
}

export async function openStage(
  options: {
    /** Told what reaches the model, and when it is given up. */
    readonly onMoment?: (what: string) => void;
  } = {},
): Promise<Stage> {
  const { onMoment = () => {} } = options;
  const served: string[] = [];
  const calls: { name: string; call: ModelCall }[] = [];
  const seen = new Set<string>();
  const moments = new Map<string, () => void>();
  let atWork = 0;
  const scripts = new Map<string, (call: ModelCall) => Reply>();
  const always = new Map<string, Reply>();
  const lacking = Promise.withResolvers<never>();
  lacking.promise.catch(() => {});
  let wishes = 0;
  /** The reply that asks for a call, under an id of its own. */
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
    // Calls without tools are for titles and the like: nothing is served by them.
    if (call.tools.length === 0) return says("A title");
    const name = newest(call);
    served.push(name);
    onMoment(`is asked for ${name}`);
    calls.push({ name, call });
    atWork += 1;
    call.gone.addEventListener("abort", () => (atWork -= 1), { once: true });
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
    // The first words need a moment on the wire before the scenario goes on.
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
    // Known when the parts are.
    get finish() {
      return finish;
    },
  };
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/\[([a-z0-9-]+)\] answer/g)].map(([, name = ""]) => name);
}

/** The prompt that a call is for: the last one that a person sent. */
function newest({ messages }: ModelCall): string {
  const names = messages.flatMap((message) => namesIn(saidByPeople(message)));
  return names.at(-1) ?? "unknown";
}

/** Some send what people say together with the results of tools. */
function saidByPeople({ role, text, results }: HeardMessage): string {
  if (role === "assistant") return "";
  return results.reduce((rest, result) => rest.replace(result.text, ""), text);
}
