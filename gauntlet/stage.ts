import { setTimeout as delay } from "node:timers/promises";
import { startModelServer } from "./model-server/model-server.ts";
import { says } from "./model-server/script.ts";
import type { Finish, ModelCall, Part, Reply } from "./model-server/script.ts";
import type { ToolCall } from "./target.ts";

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
  /** Names of the prompts that runs were for, once per call, in order of arrival. */
  readonly served: readonly string[];
  /** The calls for this prompt, in order of arrival. */
  callsFor(name: string): readonly ModelCall[];
  /** Whether the model was ever shown this prompt. */
  sawPrompt(name: string): boolean;
  close(): Promise<void>;
}

/** A call that is in the scenario's hands. */
export interface HeldCall {
  /** Resolves when it has reached the model and its first words are on the way back. */
  readonly arrived: Promise<void>;
  /** Resolves when the target has given it up. */
  readonly dropped: Promise<void>;
  /** Sends the rest: words, or what the model wants done. */
  finish(rest?: string | ToolCall): void;
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
  const scripts = new Map<string, (call: ModelCall) => Reply>();
  const server = await startModelServer((call) => {
    const names = call.messages.map(({ text }) => namesIn(text));
    for (const name of names.flat()) seen.add(name);
    // Calls without tools are for titles and the like: nothing is served by them.
    if (call.tools.length === 0) return says("A title");
    const name = newest(call, names);
    served.push(name);
    onMoment(`is asked for ${name}`);
    calls.push({ name, call });
    const script = scripts.get(name);
    scripts.delete(name);
    return script?.(call) ?? says(`done with ${name}`);
  });
  return {
    address: server.addresses.openaiChat,
    prompt: (name) => `[${name}] answer in a few words`,
    hold: (name) => {
      const arrived = Promise.withResolvers<void>();
      const dropped = Promise.withResolvers<void>();
      const finished = Promise.withResolvers<string | ToolCall>();
      const drop = (): void => {
        onMoment(`is through with the call for ${name}`);
        dropped.resolve();
      };
      scripts.set(name, (call) => {
        call.gone.addEventListener("abort", drop, { once: true });
        return heldReply({ arrived: arrived.resolve, rest: finished.promise });
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
    served,
    callsFor: (name) => calls.filter((made) => made.name === name).map(({ call }) => call),
    sawPrompt: (name) => seen.has(name),
    close: () => server.close(),
  };
}

function heldReply(held: { arrived: () => void; rest: Promise<string | ToolCall> }): Reply {
  let finish: Finish = "stop";
  async function* parts(): AsyncGenerator<Part> {
    yield { text: "well, " };
    // The first words need a moment on the wire before the scenario goes on.
    await delay(5);
    held.arrived();
    yield { wait: held.rest };
    const rest = await held.rest;
    if (typeof rest !== "string") finish = "calls";
    yield typeof rest === "string" ? { text: rest } : { call: { id: "held", ...rest } };
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
function newest(call: ModelCall, names: readonly string[][]): string {
  const last = call.messages.findLastIndex(
    ({ role }, index) => role === "user" && (names[index]?.length ?? 0) > 0,
  );
  return names[last]?.at(-1) ?? "unknown";
}
