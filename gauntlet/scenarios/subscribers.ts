import type { Scenario, ScenarioContext } from "../scenario.ts";
import type { ReceivedEvent } from "../target.ts";

// Scenarios with subscribers of a session that are disconnected or too slow.

export const subscriberScenarios: readonly Scenario[] = [
  {
    name: "reconnecting subscriber",
    about: "A client that was cut off misses events, or gets some twice.",
    needs: ["outcome", "subscribe", "resume"],
    play: async (context) => {
      const { target, submit, ending, expect, withTimeout } = context;
      const sessionId = await target.createSession();
      const seen: ReceivedEvent[] = [];
      let after: string | null = null;
      for (let index = 0; index < 8; index += 1) {
        const promptId = await submit(sessionId, `a-${index}`);
        // Reads a few events, then disconnects.
        const read: ReceivedEvent[] = await withTimeout(
          "some events",
          take(context, { sessionId, after, count: 3 }),
        );
        seen.push(...read);
        after = read.at(-1)?.id ?? after;
        expect("the end of the prompt", await ending(sessionId, promptId), "completed");
      }
      const all = await withTimeout("all events", untilQuiet(context, { sessionId, after: null }));
      const rest = await withTimeout("the rest", untilQuiet(context, { sessionId, after }));
      expect("what the subscriber saw in all", ids([...seen, ...rest]), ids(all));
      expect("events seen twice", all.length - new Set(ids(all)).size, 0);
    },
  },
  {
    name: "slow subscriber",
    about:
      "A client that does not read slows the run down, or makes the server grow until it dies.",
    needs: ["outcome", "subscribe"],
    play: async (context) => {
      const { target, offers, stage, submit, ending, expect, withTimeout, note } = context;
      const sessionId = await target.createSession();
      const gone = new AbortController();
      try {
        for (let index = 0; index < 20; index += 1) {
          const stream = target.follow({ sessionId, after: null, signal: gone.signal });
          // Open the stream, read one event and never read again.
          void stream[Symbol.asyncIterator]()
            .next()
            .catch(() => {});
        }
        const words = "many words ".repeat(20);
        const parts = Array.from({ length: 800 }, () => ({ text: words }));
        // Answers of several megabytes each: more than sockets and reasonable buffers can hold.
        for (let index = 0; index < 20; index += 1) {
          stage.script(`long-${index}`, { parts });
          const long = await submit(sessionId, `long-${index}`);
          expect("the end of a long answer", await ending(sessionId, long), "completed");
        }
        note("the long answers are complete");
        const next = await submit(sessionId, "next");
        expect("the end of next", await ending(sessionId, next), "completed");
        if (offers.resume !== true) return;
        const all = await withTimeout(
          "all events",
          untilQuiet(context, { sessionId, after: null }),
        );
        expect("events told twice", all.length - new Set(ids(all)).size, 0);
      } finally {
        gone.abort();
      }
    },
  },
];

async function take(
  { target }: ScenarioContext,
  wanted: { sessionId: string; after: string | null; count: number },
): Promise<ReceivedEvent[]> {
  const leave = new AbortController();
  const seen: ReceivedEvent[] = [];
  try {
    for await (const told of target.follow({ ...wanted, signal: leave.signal })) {
      seen.push(told);
      if (seen.length >= wanted.count) break;
    }
    return seen;
  } finally {
    leave.abort();
  }
}

/** Reads all events. A stream without events for a while has sent everything. */
async function untilQuiet(
  { target }: ScenarioContext,
  wanted: { sessionId: string; after: string | null },
): Promise<ReceivedEvent[]> {
  const leave = new AbortController();
  const seen: ReceivedEvent[] = [];
  const still = (): NodeJS.Timeout => setTimeout(() => leave.abort(), 1_000);
  let timer = still();
  try {
    for await (const told of target.follow({ ...wanted, signal: leave.signal })) {
      seen.push(told);
      clearTimeout(timer);
      timer = still();
    }
    return seen;
  } finally {
    clearTimeout(timer);
    leave.abort();
  }
}

function ids(told: readonly ReceivedEvent[]): string[] {
  return told.map(({ id }) => id);
}
