import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { readOrError, writeOrError } from "./stub-agent-files.ts";
import { callTool, recorded } from "./stub-agent-mcp.ts";
import type { McpServer } from "./stub-agent-mcp.ts";
import { historyIn, instructions, otherHistory } from "./stub-agent-history.ts";
import type { Message } from "./stub-agent-message.ts";
import { offers, signInMethods } from "./stub-agent-offers.ts";
import { permissionVerbs } from "./stub-agent-permissions.ts";
import { reportVerbs } from "./stub-agent-reports.ts";
import { waitFor } from "./wait-for.ts";

// An agent that speaks ACP over stdio. Each line of a prompt is an instruction, so that tests can script the agent
// and make it misbehave. The agent records its prompts and actions in STUB_HOME, and stores its sessions in
// STUB_SESSIONS or STUB_HOME.

const home = process.env["STUB_HOME"] ?? ".";
const sessions = process.env["STUB_SESSIONS"] ?? home;
const mode = new Set((process.env["STUB_MODE"] ?? "").split(","));
mkdirSync(home, { recursive: true });
appendFileSync(join(home, "pids"), `${process.pid}\n`);
appendFileSync(join(home, "environment"), `${JSON.stringify(process.env)}\n`);
if (mode.has("exit at start")) process.exit(7);

const asked = new Map<number, (message: Message) => void>();
const cancelled = new Set<string>();
const steers: string[] = [];
let steered = false;
let active: string | null = null;
let servers: readonly McpServer[] = [];
let requests = 0;
let calls = 0;

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function update(sessionId: string, fields: object): void {
  write({ method: "session/update", params: { sessionId, update: fields } });
}

function say(sessionId: string, text: string): void {
  const content = { type: "text", text };
  update(sessionId, { sessionUpdate: "agent_message_chunk", content });
}

function ask(method: string, params: object): Promise<Message> {
  requests += 1;
  const id = requests;
  return new Promise((resolve) => {
    asked.set(id, resolve);
    write({ id, method, params });
  });
}

function notify(method: string, params: object): void {
  write({ method, params });
}

function choose(method: string, params: object): { id: number; answer: Promise<string> } {
  const answer = ask(method, params).then(
    ({ result }) => result?.outcome?.optionId ?? result?.outcome?.outcome ?? "nothing",
  );
  return { id: requests, answer };
}

function replay(sessionId: string): void {
  const updates = mode.has("other history") ? otherHistory : historyIn(file(sessionId));
  for (const fields of updates) update(sessionId, fields);
}

const file = (sessionId: string): string => join(sessions, `${sessionId}.session`);
/** Waits for a condition, up to an hour: the tests that start the agent have limits of their own. */
async function until(condition: () => boolean): Promise<void> {
  await waitFor(condition, { describe: "the next line of the script", limit: 3_600_000 });
}

/** Does one line of a prompt. Returns false if the turn was cancelled. */
async function perform(sessionId: string, line: string): Promise<boolean> {
  const [verb = "", ...rest] = line.split(" ");
  const words = rest.join(" ");
  const toolCallId = `call_${process.pid}_${(calls += 1)}`;
  const call = { toolCallId, title: words, kind: "execute", rawInput: { command: words } };
  const isCancelled = (): boolean => cancelled.has(sessionId);
  const end = (status: string, text: string): void => {
    const content = [{ type: "content", content: { type: "text", text } }];
    update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, status, content });
  };
  const act = (): void => appendFileSync(join(home, "acts"), `${words}\n`);
  const askFirst = permissionVerbs[verb];
  if (askFirst !== undefined) {
    await askFirst({ home, mode, sessionId, call, ask: choose, notify, update, act, end });
    return !isCancelled();
  }
  const report = reportVerbs[verb];
  if (report !== undefined) update(sessionId, report(words));
  switch (verb) {
    case "say":
      say(sessionId, words);
      break;
    case "think": {
      const content = { type: "text", text: words };
      update(sessionId, { sessionUpdate: "agent_thought_chunk", content });
      break;
    }
    case "tool":
    case "slowtool":
      update(sessionId, { sessionUpdate: "tool_call", ...call, status: "in_progress" });
      act();
      if (verb === "slowtool") await until(isCancelled);
      end("completed", `did ${words}`);
      break;
    case "announce":
    case "announced": {
      // As Claude Code and opencode do while their model writes the input.
      const empty = {
        ...call,
        title: "bash",
        rawInput: { cwd: home },
        locations: [{ path: home }],
      };
      update(sessionId, { sessionUpdate: "tool_call", ...empty, status: "pending" });
      if (verb === "announce") break;
      update(sessionId, { sessionUpdate: "tool_call_update", ...call, status: "in_progress" });
      act();
      end("completed", `did ${words}`);
      break;
    }
    case "open":
      update(sessionId, { sessionUpdate: "tool_call", ...call, status: "in_progress" });
      break;
    case "edit": {
      const diff = { type: "diff", path: words, oldText: "old\n", newText: "new\n" };
      const fields = { ...call, kind: "edit", rawInput: { path: words }, content: [diff] };
      update(sessionId, { sessionUpdate: "tool_call", ...fields, status: "completed" });
      break;
    }
    case "mcp": {
      const text = await Promise.race([callTool(servers[0], words), until(isCancelled)]);
      if (text === undefined) return false;
      say(sessionId, text);
      break;
    }
    case "read":
      say(sessionId, readOrError(words));
      break;
    case "write":
      say(sessionId, writeOrError(words));
      break;
    case "leave": {
      const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
      appendFileSync(join(home, "children"), `${child.pid}\n`);
      child.unref();
      break;
    }
    case "stay": {
      // One child stays in the process group of the agent, and one leaves it.
      for (const detached of [true, false]) {
        const child = spawn("tail", ["-f", join(home, "pids")], { detached, stdio: "ignore" });
        child.unref();
      }
      act();
      await until(() => isCancelled() || existsSync(join(home, words)));
      break;
    }
    case "wait":
      await until(() => isCancelled() || existsSync(join(home, words)));
      break;
    case "hang":
      await until(() => false);
      break;
    case "steered":
      await until(() => steers.length > 0 || isCancelled());
      say(sessionId, `steered: ${steers.splice(0).join(" ")}`);
      break;
    case "exit":
      return process.exit(3);
    case "kill":
      process.kill(process.pid, "SIGKILL");
      await until(() => false);
      break;
    case "garbage":
      process.stdout.write("this is not JSON\n[1,2]\n{\n");
      break;
    case "unknown":
      update(sessionId, { sessionUpdate: "from_the_future", content: [1] });
      update(sessionId, { sessionUpdate: "tool_call", title: 7 });
      write({ method: "session/update" });
      await ask("fs/read_text_file", { sessionId, path: "/etc/passwd" });
      break;
    case "disorder":
      write({ id: 999, result: {} });
      end("completed", `did ${words}`);
      update(sessionId, { sessionUpdate: "tool_call", ...call, status: "in_progress" });
      end("failed", "again");
      break;
    case "stream": {
      // Codex sends the output of a command in this form, also to clients without terminals.
      const terminal = { terminal_id: toolCallId };
      const content = [{ type: "terminal", terminalId: toolCallId }];
      const sent = (fields: object): void =>
        update(sessionId, { sessionUpdate: "tool_call_update", toolCallId, ...fields });
      const opened = { terminal_info: { ...terminal, cwd: home } };
      update(sessionId, { sessionUpdate: "tool_call", ...call, content, _meta: opened });
      for (const data of ["one\n", "two\n"]) {
        sent({ _meta: { terminal_output_delta: { ...terminal, data } } });
      }
      const exit = { terminal_exit: { ...terminal, exit_code: 3, signal: null } };
      sent({ status: "failed", rawOutput: { exit_code: 3 }, content, _meta: exit });
      break;
    }
    case "big":
      process.stdout.write(`{"x":"${"y".repeat(100_000_000)}"}\n`);
      await until(() => false);
      break;
    default:
      break;
  }
  return !isCancelled();
}

async function prompt({ id, params }: Message): Promise<void> {
  const sessionId = params?.sessionId ?? "";
  const text = (params?.prompt ?? []).map((block) => block.text ?? `[${block.type}]`).join("\n");
  if (active !== null) appendFileSync(join(home, "overlaps"), "1\n");
  // A test may kill the agent as soon as the prompt is counted, so the agent stores the prompt before it counts it.
  if (!mode.has("forgets"))
    appendFileSync(file(sessionId), `${JSON.stringify({ role: "user", text })}\n`);
  appendFileSync(join(home, "prompts"), `${JSON.stringify(text)}\n`);
  appendFileSync(join(home, "used"), `${current.model} ${current.mode}\n`);
  active = sessionId;
  if (!mode.has("cancels late")) cancelled.delete(sessionId);
  let stopReason = "end_turn";
  for (const line of instructions(text, mode)) {
    if (line.startsWith("stop ")) stopReason = line.slice(5);
    if (line === "error") {
      active = null;
      return write({ id, error: { code: -32_603, message: "the model is down" } });
    }
    if (line === "signed out") {
      active = null;
      return write({ id, error: { code: -32_000, message: "Authentication required" } });
    }
    if (line === "silent") return;
    if (!(await perform(sessionId, line))) {
      stopReason = "cancelled";
      break;
    }
  }
  active = null;
  cancelled.delete(sessionId);
  const usage = { inputTokens: 20, outputTokens: 5, totalTokens: 25 };
  write({ id, result: { stopReason, usage } });
  if (text.includes("twice")) write({ id, result: { stopReason } });
  if (text.includes("afterwards")) {
    say(sessionId, "I am still here");
    const options = [{ optionId: "no", name: "No", kind: "reject_once" }];
    const toolCall = { toolCallId: "late", title: "late" };
    const { result } = await ask("session/request_permission", { sessionId, toolCall, options });
    appendFileSync(join(home, "answers"), `late: ${result?.outcome?.optionId}\n`);
  }
}

/** Current model and mode. They belong to the process, so a new process begins with the defaults again. */
const current = { model: "small", mode: "default" };

function offerCommands(sessionId: string): void {
  if (!mode.has("offers")) return;
  const availableCommands = [{ name: "review", description: "Review the changes" }];
  update(sessionId, { sessionUpdate: "available_commands_update", availableCommands });
}

function chose(what: "model" | "mode", id: string): void {
  current[what] = id;
  appendFileSync(join(home, "choices"), `${what} ${id}\n`);
}

/** The version in the file `version`, as after an update of the program, or else the version in the environment. */
function version(): string {
  const updated = join(home, "version");
  const usual = process.env["STUB_VERSION"] ?? "1.0.0";
  return existsSync(updated) ? readFileSync(updated, "utf8") : usual;
}

let isSignedIn = !mode.has("signs in");

function answer(message: Message): void {
  const { id, method, params } = message;
  const result = (value: object): void => write({ id, result: value });
  const sessionId = params?.sessionId ?? "";
  servers = recorded(params?.mcpServers, home) ?? servers;
  switch (method) {
    case "initialize":
      if (mode.has("exit in handshake")) process.exit(5);
      if (mode.has("exits once") && !existsSync(join(home, "failed"))) {
        writeFileSync(join(home, "failed"), "");
        process.exit(5);
      }
      if (mode.has("never greets")) break;
      if (mode.has("refuses")) return write({ id, error: { code: -32_603, message: "broken" } });
      result({
        protocolVersion: mode.has("other version") ? 9 : 1,
        agentInfo: { name: "stub", version: version() },
        authMethods: isSignedIn ? [] : signInMethods(mode),
        agentCapabilities: {
          loadSession: !mode.has("cannot load"),
          mcpCapabilities: { http: true },
          ...(mode.has("steers") ? { _meta: { steering: { supported: true } } } : {}),
        },
      });
      break;
    case "authenticate":
      isSignedIn = true;
      appendFileSync(join(home, "sign-ins"), `${params?.methodId}\n`);
      result({});
      break;
    case "session/new": {
      if (!isSignedIn) return write({ id, error: { code: -32_000, message: "sign in first" } });
      if (mode.has("fails once") && !existsSync(join(home, "failed"))) {
        writeFileSync(join(home, "failed"), "");
        return write({ id, error: { code: -32_603, message: "database is locked" } });
      }
      const fresh = `stub-${process.pid}-${Date.now()}`;
      writeFileSync(file(fresh), "");
      result({ sessionId: fresh, ...offers(mode, current) });
      offerCommands(fresh);
      break;
    }
    case "session/load":
      if (!existsSync(file(sessionId)) || mode.has("load fails")) {
        return write({ id, error: { code: -32_602, message: "no such session" } });
      }
      appendFileSync(join(home, "loads"), `${sessionId}\n`);
      if (mode.has("dies in load")) process.exit(6);
      if (mode.has("fails load once") && !existsSync(join(home, "failed"))) {
        writeFileSync(join(home, "failed"), "");
        return write({ id, error: { code: -32_603, message: "database is locked" } });
      }
      if (!mode.has("replays late")) replay(sessionId);
      result(offers(mode, current));
      offerCommands(sessionId);
      // The agent sends the history after the answer, as Gemini CLI does.
      if (mode.has("replays late")) setTimeout(() => replay(sessionId), 20);
      break;
    case "session/set_model":
      chose("model", params?.modelId ?? "");
      result({});
      break;
    case "session/set_mode":
      if (mode.has("never chooses")) {
        appendFileSync(join(home, "choices"), "asked\n");
        break;
      }
      chose("mode", params?.modeId ?? "");
      result({});
      break;
    case "session/set_config_option":
      chose(params?.configId === "the-model" ? "model" : "mode", params?.value ?? "");
      result(offers(mode, current));
      break;
    case "session/prompt":
      void prompt(message);
      break;
    case "_session/steering":
      steers.push((params?.prompt ?? []).map((block) => block.text ?? "").join("\n"));
      if (mode.has("steers once") && steered) return result({ outcome: "promptRequired" });
      steered = true;
      if (!mode.has("steer unanswered")) result({ outcome: "injected" });
      break;
    case "session/cancel":
      appendFileSync(join(home, "cancels"), "1\n");
      if (mode.has("exits on cancel")) process.exit(4);
      if (!mode.has("deaf")) cancelled.add(sessionId);
      break;
    case undefined:
    default:
      break;
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message: Message = JSON.parse(line);
  if (message.method !== undefined) answer(message);
  else asked.get(Number(message.id))?.(message);
});
process.stdin.on("end", () => {
  if (!mode.has("stays")) process.exit(0);
});
if (mode.has("stays")) {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}
