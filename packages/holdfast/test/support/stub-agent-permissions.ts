import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "./wait-for.ts";

/** The parts of the stub agent that its permission requests need. */
export interface Asking {
  readonly home: string;
  readonly mode: ReadonlySet<string>;
  readonly sessionId: string;
  readonly call: { readonly toolCallId: string; readonly title: string };
  /** Sends a request. Returns its id and the client's choice. */
  readonly ask: (method: string, params: object) => { id: number; answer: Promise<string> };
  readonly notify: (method: string, params: object) => void;
  readonly update: (sessionId: string, fields: object) => void;
  readonly act: () => void;
  readonly end: (status: string, text: string) => void;
}

/** Lines of a prompt that ask for permission. The agent records the answers in the file `answers`. */
export const permissionVerbs: Readonly<Partial<Record<string, (asking: Asking) => Promise<void>>>> =
  {
    ask: async (asking) => {
      begin(asking);
      const chosen = await request(asking).answer;
      finish(asking, chosen);
    },
    /** Ends the call before the answer. */
    early: async (asking) => {
      begin(asking);
      void request(asking).answer;
      asking.end("completed", "did not wait");
    },
    /** Asks twice for one call at the same time. */
    askboth: async (asking) => {
      begin(asking);
      const first = request(asking);
      await request(asking, "second").answer;
      finish(asking, await first.answer);
    },
    /** Asks a second time when the call has begun. */
    asktwice: async (asking) => {
      begin(asking);
      await request(asking).answer;
      finish(asking, await request(asking, "second").answer);
    },
    /** Withdraws the request when the file `withdraw` exists, then asks again for the same call. */
    withdraw: async (asking) => {
      begin(asking);
      const { id, answer } = request(asking);
      await waitFor(() => existsSync(join(asking.home, "withdraw")), { describe: "the file" });
      asking.notify("$/cancel_request", { requestId: id });
      await answer;
      finish(asking, await request(asking, "second").answer);
    },
    /** Sends messages about a session that the client does not know. */
    stranger: async (asking) => {
      const other = { ...asking, sessionId: "another-session" };
      const content = { type: "text", text: "from another session" };
      other.update(other.sessionId, { sessionUpdate: "agent_message_chunk", content });
      begin(other);
      await request(other).answer;
    },
  };

function begin({ mode, update, sessionId, call }: Asking): void {
  if (mode.has("asks first")) return;
  update(sessionId, { sessionUpdate: "tool_call", ...call, status: "in_progress" });
}

function request(asking: Asking, name = ""): { id: number; answer: Promise<string> } {
  const { mode, sessionId, call, home } = asking;
  const options = [
    { optionId: "always", name: "Always", kind: "allow_always" },
    ...(mode.has("only always") ? [] : [{ optionId: "yes", name: "Yes", kind: "allow_once" }]),
    { optionId: "no", name: "No", kind: "reject_once" },
  ];
  const params = { sessionId, toolCall: call, options };
  const { id, answer } = asking.ask("session/request_permission", params);
  const recorded = answer.then((chosen) => {
    const words = name === "" ? call.title : `${call.title} (${name})`;
    appendFileSync(join(home, "answers"), `${words}: ${chosen}\n`);
    return chosen;
  });
  return { id, answer: recorded };
}

function finish({ act, end, call }: Asking, chosen: string): void {
  if (chosen === "yes") act();
  end(chosen === "yes" ? "completed" : "failed", `${call.title}: ${chosen}`);
}
