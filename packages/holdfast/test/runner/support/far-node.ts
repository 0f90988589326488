import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { AgentContext, Fact } from "../../../src/agent/agent.ts";
import type { CommandType } from "../../../src/kernel/command.ts";
import type { Runtime, RuntimeOptions } from "../../../src/runtime/runtime.ts";
import { createLink } from "./link.ts";
import type { Message } from "./link.ts";
import type { Interfere } from "./tampered-store.ts";

export interface FarOptions {
  readonly url: string;
  readonly settings: Omit<RuntimeOptions, "agent" | "store" | "onError">;
  /** The agent's `run`, called across the processes. */
  readonly run: (context: AgentContext) => Promise<AsyncIterable<Fact>>;
}

/** A runtime in another process, with control over its store. */
export interface FarRuntime {
  readonly runtime: Runtime;
  dropSignals(): Promise<void>;
  mend(): Promise<void>;
  interfere(interfere: Interfere | null): Promise<void>;
  holdBack(
    type: CommandType,
  ): Promise<{ arrived: () => Promise<void>; release: () => Promise<void> }>;
  /** Closes the runtime. Returns the errors that it could only report. */
  close(deadline: number): Promise<readonly unknown[]>;
  /** Counts the resources that keep the process alive although everything was closed. */
  leaks(): Promise<Record<string, number>>;
}

/** A process that opens runtimes for tests; starting one takes far longer than opening a runtime. */
export interface FarProcess {
  open(options: FarOptions): Promise<FarRuntime>;
  stop(): Promise<void>;
}

export function startFarProcess(): FarProcess {
  const child = fork(join(import.meta.dirname, "node-process.ts"), {
    serialization: "advanced",
    execPath: process.execPath,
    execArgv: [],
  });
  const link = createLink({
    send: (message) => {
      if (child.connected) child.send(message);
    },
    listen: (listener) => void child.on("message", (message: Message) => listener(message)),
  });
  const gone = once(child, "exit").then(() => link.cut());
  return {
    open: async (options) => {
      const far = await link.call("open", options);
      expectFarRuntime(far);
      return asFarRuntime(far);
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await gone;
    },
  };
}

function expectFarRuntime(far: unknown): asserts far is FarRuntime {
  assert.ok(typeof far === "object" && far !== null && "runtime" in far);
}

/** All remote functions are asynchronous, so functions that must return at once are replaced by local ones. */
function asFarRuntime(far: FarRuntime): FarRuntime {
  const { runtime } = far;
  const follow: Runtime["events"] = (target) => ({
    [Symbol.asyncIterator]() {
      const iterator = Promise.resolve(runtime.events(target)).then((stream) =>
        stream[Symbol.asyncIterator](),
      );
      return {
        next: async () => (await iterator).next(),
        return: async () => (await (await iterator).return?.()) ?? { done: true, value: undefined },
      };
    },
  });
  return { ...far, runtime: { ...runtime, events: follow } };
}
