import { createInterface } from "node:readline";

// A small ACP agent: it calls its model and reports the end. An argument selects one fault.

const [wrong = ""] = process.argv.slice(2);
const running = new Map<string, AbortController>();
let sessions = 0;

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: { readonly sessionId: string; readonly prompt: readonly { text: string }[] };
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

async function prompt({ id, params }: Message): Promise<void> {
  const { sessionId, prompt: parts } = params;
  const stop = new AbortController();
  running.set(sessionId, stop);
  const isCancelled = await call(parts.map(({ text }) => text).join("\n"), stop.signal).then(
    () => false,
    () => true,
  );
  running.delete(sessionId);
  const stopReason = isCancelled && wrong !== "deaf" ? "cancelled" : "end_turn";
  write({ id, result: { stopReason } });
}

async function call(content: string, signal: AbortSignal): Promise<void> {
  const tool = { type: "function", function: { name: "nothing", parameters: { type: "object" } } };
  const response = await fetch(`${process.env["OPENAI_BASE_URL"]}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ messages: [{ role: "user", content }], tools: [tool], stream: true }),
    signal,
  });
  await response.text();
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message: Message = JSON.parse(line);
  const { id, method, params } = message;
  if (method === "initialize") write({ id, result: { protocolVersion: 1 } });
  if (method === "session/new" && wrong === "closed")
    write({ id, error: { code: -32_000, message: "Authentication required" } });
  else if (method === "session/new") write({ id, result: { sessionId: `s${(sessions += 1)}` } });
  if (method === "session/cancel") running.get(params.sessionId)?.abort();
  if (method !== "session/prompt") return;
  if (wrong === "crashing")
    void call("", AbortSignal.timeout(5_000)).finally(() => process.exit(1));
  else if (wrong === "offline") write({ id, error: { code: -32_603, message: "no connection" } });
  else void prompt(message);
});
