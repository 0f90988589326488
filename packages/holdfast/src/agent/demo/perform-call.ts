import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { SessionMode } from "../../kernel/state.ts";
import type { AgentContext, ChildRequest, Fact } from "../agent.ts";
import type { CallRequest } from "../message.ts";
import { locate } from "../tools/paths.ts";
import { defaultToolSettings } from "../tools/tool.ts";
import { callName, isRepeatable, mayChange, parseCall } from "./call-instruction.ts";
import type { CallAction, DemoCall } from "./call-instruction.ts";
import { demoName, derivedId } from "./identity.ts";
import { demoText } from "./words.ts";
import { die } from "./faults.ts";

/** Builds the call request to commit. It contains everything needed to continue after a crash. */
export function requestOf(instruction: string, callId: string): CallRequest {
  const call = parseCall(instruction);
  if (call === null)
    throw new Error(
      `The demo agent does not know this tool call: ${instruction}. See docs/DEMO.md.`,
    );
  return { callId, name: callName(call), input: { instruction }, repeatable: isRepeatable(call) };
}

/** Executes one committed call, new or left open by a crash. */
export async function* performCall(
  context: AgentContext,
  options: { request: CallRequest; mayCrash: boolean },
): AsyncGenerator<Fact> {
  const { callId, input, repeatable } = options.request;
  const instruction = instructionIn(input);
  const call = parseCall(instruction);
  if (call === null) {
    const output = demoText(`unknown tool call: ${instruction}`);
    yield { type: "toolEnd", callId, status: "failed", output };
    return;
  }
  const readMode = async (): Promise<SessionMode> => (mayChange(call) ? context.mode() : "ask");
  const refusal = {
    type: "toolEnd",
    callId,
    status: "denied",
    output: demoText(planText),
  } as const;
  const mode = await readMode();
  if (mode === "plan") return yield refusal;
  if (call.asks && !(call.kind === "append" && mode === "acceptEdits")) {
    const answer = await context.ask({
      askId: derivedId("ask", callId),
      callId,
      question: questionOf(call, instruction),
      extra: call.kind === "ask" ? { kind: "question", choices: [] } : null,
    });
    if (answer.verdict !== "allow") {
      const reply = answer.verdict === "expired" ? "no answer came in time" : answer.text;
      yield { type: "toolEnd", callId, status: "denied", output: demoText(reply ?? "denied") };
      return;
    }
    if (call.kind === "ask") {
      const output = demoText(answer.text ?? "allowed");
      yield { type: "toolEnd", callId, status: "completed", output };
      return;
    }
    // The mode may have changed while the permission request was open.
    if ((await readMode()) === "plan") return yield refusal;
  }
  if (!repeatable) yield { type: "toolStart", callId };
  const { status, output } = await act(context, { call, callId }).catch(failedIfRefused);
  if (call.crashes && options.mayCrash) await die();
  yield { type: "toolEnd", callId, status, output: demoText(output) };
}

const planText = "refused: this session is in plan mode, and nothing was changed";

interface CallResult {
  readonly status: "completed" | "failed";
  readonly output: string;
}

async function act(
  context: AgentContext,
  options: { call: CallAction; callId: string },
): Promise<CallResult> {
  const { call, callId } = options;
  switch (call.kind) {
    case "tool":
      return completed(`${call.name} pretended to work${call.text === "" ? "" : `: ${call.text}`}`);
    case "print":
      return completed(printed(call.lines));
    case "append":
      return append(context, { ...call, callId });
    case "ask":
      return completed("asked");
    case "child": {
      const request = childRequest(context, { text: call.text, callId });
      const { outcome, text } = await context.child(request);
      const reason = outcome.reason === null ? "" : ` (${outcome.reason})`;
      const output = `child ${request.sessionId} ${outcome.status}${reason}: ${text ?? ""}`;
      return { status: outcome.status === "completed" ? "completed" : "failed", output };
    }
    case "background": {
      const request = childRequest(context, { text: call.text, callId });
      await context.background(request);
      return completed(`child ${request.sessionId} works in the background`);
    }
    case "send": {
      const { sessionId } = call;
      await context.background({
        ...childRequest(context, { text: call.text, callId }),
        sessionId,
      });
      return completed(`sent a prompt to session ${sessionId}`);
    }
  }
}

/** Converts a refusal to a failed result of this call. Throws any other error, which ends the run. */
function failedIfRefused(error: unknown): CallResult {
  if (error instanceof Error && "refusal" in error) {
    return { status: "failed", output: error.message };
  }
  throw error;
}

/** Derives the ids of the child session from the call, so that the same child is found again after a crash (C7). */
function childRequest(
  context: AgentContext,
  options: { text: string; callId: string },
): ChildRequest {
  const { text, callId } = options;
  const { sessionId } = context;
  return {
    sessionId: derivedId("session", sessionId, callId),
    promptId: derivedId("prompt", sessionId, callId),
    text,
    callId,
    // Without a name, the default agent of the directory would take the instructions to a model.
    agent: demoName,
  };
}

/** Appends a line with the call id, so that a repeated call becomes visible (R2). */
async function append(
  context: AgentContext,
  options: { file: string; line: string; callId: string },
): Promise<CallResult> {
  const { file, line, callId } = options;
  const { directory } = context;
  const { guarded } = context.workspace.setup?.toolSettings ?? defaultToolSettings;
  const place = await locate(file, { directory, settings: { allowedPaths: [], guarded } });
  if (place.status === "refused") return { status: "failed", output: place.message };
  if (!context.mayAct())
    return { status: "failed", output: "the run stopped before this call started" };
  try {
    await appendLine(place.path, `${line}${line === "" ? "" : " "}[${callId}]\n`);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: "failed", output: `nothing was appended: ${message}` };
  }
  return completed(`appended a line to ${file}`);
}

/** Appends to the file. Fails if the path was replaced with a link after it was resolved. */
async function appendLine(path: string, line: string): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o666);
  try {
    await file.appendFile(line);
  } finally {
    await file.close();
  }
}

/** Returns numbered lines of 100 characters each. */
function printed(lines: number): string {
  const width = 99;
  return Array.from({ length: lines }, (_, line) => `line ${line + 1} `.padEnd(width, ".")).join(
    "\n",
  );
}

function completed(output: string): CallResult {
  return { status: "completed", output };
}

function questionOf(call: DemoCall, instruction: string): string {
  return call.kind === "ask"
    ? call.question
    : `The demo agent wants to ${instruction.replace(/^ask to /, "")}. Allow it?`;
}

function instructionIn(input: unknown): string {
  const known = typeof input === "object" && input !== null && "instruction" in input;
  return known && typeof input.instruction === "string" ? input.instruction : "";
}
