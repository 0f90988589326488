import { createInterface } from "node:readline";
import { CommandRefused } from "../main.ts";
import type { Holdfast } from "../main.ts";
import { readText } from "./body-text.ts";
import type { Lines } from "./lines.ts";

/** Puts asks to the person at the terminal, one after the other; denies them where there is none. */
export interface Asks {
  opened(ask: { sessionId: string; askId: string }): void;
  /** Somebody else has answered it, or its run was stopped. */
  closed(askId: string): void;
  /** Takes questions back that nobody has answered. */
  close(): void;
}

export function createAsks(
  runtime: Holdfast,
  options: { lines: Lines; isInteractive: boolean; onError: (error: unknown) => void },
): Asks {
  const { lines, isInteractive, onError } = options;
  const open = new Map<string, AbortController>();
  let tail: Promise<void> = Promise.resolve();

  const settle = async (ask: { sessionId: string; askId: string }): Promise<void> => {
    const { signal } = open.get(ask.askId) ?? {};
    const row = await runtime.store.ask(ask.sessionId, ask.askId);
    if (row === null || row.closed !== null || signal === undefined || signal.aborted) return;
    lines.note(`? ${await readText(runtime.store, row.body)}`);
    const reply = isInteractive ? await askPerson(lines, signal) : nobodyThere;
    if (reply === null) {
      lines.note("  the question was taken back");
      return;
    }
    if (!isInteractive) lines.note("  denied: there is no terminal to ask on");
    await runtime.answer({ ...ask, ...reply });
  };
  return {
    opened: (ask) => {
      if (open.has(ask.askId)) return;
      open.set(ask.askId, new AbortController());
      tail = tail
        .then(() => settle(ask))
        .catch((error: unknown) => {
          // It was answered elsewhere, or its run was stopped, in the same moment.
          const isLate = error instanceof CommandRefused && error.refusal.code === "askClosed";
          if (!isLate) onError(error);
        })
        .finally(() => open.delete(ask.askId));
    },
    closed: (askId) => open.get(askId)?.abort(),
    close: () => {
      for (const controller of open.values()) controller.abort();
    },
  };
}

interface Reply {
  readonly verdict: "allow" | "deny";
  readonly text?: string;
}

const nobodyThere: Reply = { verdict: "deny", text: "denied: there was no terminal to ask on" };

/** Null when the question was taken back. Input that ends is a no. */
function askPerson(lines: Lines, signal: AbortSignal): Promise<Reply | null> {
  // Not in raw mode: Ctrl-C stays a signal, and works as at any other time.
  const input = createInterface({ input: process.stdin, terminal: false });
  const question = "  y or n, and words if you like: ";
  const answered = new AbortController();
  return new Promise<Reply | null>((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { signal: answered.signal });
    input.on("close", () => resolve({ verdict: "deny", text: "denied: the input has ended" }));
    input.on("line", (line) => {
      lines.answered();
      const reply = readReply(line);
      if (reply === null) lines.question(question);
      else resolve(reply);
    });
    lines.question(question);
  }).finally(() => {
    answered.abort();
    input.close();
  });
}

function readReply(line: string): Reply | null {
  const match = /^(y|yes|n|no)\b[\s,:]*(.*)$/i.exec(line.trim());
  if (match === null) return null;
  const verdict = match[1]?.toLowerCase().startsWith("y") === true ? "allow" : "deny";
  const text = match[2] ?? "";
  return text === "" ? { verdict } : { verdict, text };
}
