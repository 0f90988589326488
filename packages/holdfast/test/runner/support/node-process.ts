import { AgentFailure } from "../../../src/agent/agent.ts";
import type { Agent, AgentContext, Fact } from "../../../src/agent/agent.ts";
import type { CommandType } from "../../../src/kernel/command.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { leakedResources } from "./leaks.ts";
import { createLink } from "./link.ts";
import type { Message } from "./link.ts";
import type { FarOptions, FarRuntime } from "./far-node.ts";
import { tamper } from "./tampered-store.ts";
import type { Interfere } from "./tampered-store.ts";

// A process that opens runtimes on request. The parent process controls their agents and can interfere with their
// stores.

const link = createLink({
  send: (message) => void process.send?.(message),
  listen: (listener) => void process.on("message", (message: Message) => listener(message)),
});
process.once("disconnect", () => process.exit(0));
link.offer("open", open);

async function open({ url, settings, run }: FarOptions): Promise<FarRuntime> {
  const errors: unknown[] = [];
  const store = tamper(await openPostgresStore({ url, connections: 4 }));
  const runtime = await createRuntime({
    ...settings,
    agent: agentOf(run),
    store,
    onError: (error) => errors.push(String(error)),
  });
  return {
    runtime,
    dropSignals: async () => store.dropSignals(),
    mend: async () => store.mend(),
    interfere: async (interfere: Interfere | null) => store.around(interfere),
    holdBack: async (type: CommandType) => {
      const { arrived, release } = store.holdBack(({ command }) => command.type === type);
      return { arrived: () => arrived, release: async () => release() };
    },
    close: async (deadline: number) => {
      await runtime.close({ deadline });
      await store.close();
      return errors;
    },
    leaks: () => leakedResources({}),
  };
}

function agentOf(run: FarOptions["run"]): Agent {
  return {
    name: "far",
    run: (context: AgentContext): AsyncIterable<Fact> => {
      const stream = run(context).then((facts) => facts[Symbol.asyncIterator]());
      return {
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            try {
              return await (await stream).next();
            } catch (error) {
              throw asFailure(error);
            }
          },
          return: async () => (await (await stream).return?.()) ?? { done: true, value: undefined },
        }),
      };
    },
  };
}

/** Converts an error from the other process to its class, because the runner recognizes failures by class. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "AgentFailure") return error;
  const { reason, hold } = Object.assign(new AgentFailure("agentError", ""), error);
  return new AgentFailure(reason, error.message, hold === null ? {} : { hold });
}
