import type { Prompt, Receipt, SessionDetail, SessionHandle, Usage } from "@holdfast/sdk";
import { connectAdvice, shellWord, storeName } from "../../compose/stores.ts";
import type { AnswerValue } from "../answer-schema/answer-schema.ts";
import { isElsewhere, placeWords } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { holdText } from "../terminal/hold-text.ts";
import { createTextStream } from "../terminal/lines.ts";
import type { Lines } from "../terminal/lines.ts";
import { shortId } from "../ids.ts";
import { hasModel } from "./model-check.ts";
import { outcomeText, receiptText } from "./outcome.ts";
import { printable } from "../terminal/printable.ts";
import type { RunClient } from "./run-client.ts";
import { onStderr } from "../terminal/style.ts";

/** Prints the agent and the session before anything is sent. */
export async function printHeader(
  client: RunClient,
  place: ClientOptions & {
    session: SessionDetail;
    isNew: boolean;
    /** Null: the demo agent. Undefined: unknown. */
    model: string | null | undefined;
    lines: Lines;
  },
): Promise<void> {
  const { lines, store, session, isNew, model } = place;
  const { sessionId, directory } = session;
  if (client.url !== null && isElsewhere(place)) lines.note(`server ${client.url}`);
  if (model === null) {
    lines.note(
      'Demo agent: offline, no model is called (send the prompt "help" to see what it can do)',
    );
    if (!(await hasModel(client, { ...place, directory }))) lines.note(connectAdvice);
  } else if (model !== undefined) lines.note(onStderr("bold", printable(model)));
  lines.note(`session ${shortId(sessionId)}${isNew ? " (new)" : ""}`);
  lines.note(`in ${directory}${client.url === null ? `, kept in ${storeName(store)}` : ""}`);
  const [first, ...others] = client.url === null ? await client.unfinished() : [];
  if (first !== undefined) {
    const count =
      others.length === 0 ? "1 other session has" : `${others.length + 1} other sessions have`;
    const example = `holdfast run${placeWords(place)} --session ${shortId(first.sessionId)} "go on"`;
    lines.note(`${count} unfinished work that is not resumed now; to continue: ${example}`);
  }
  lines.note("");
}

/** Prints how a prompt ended, and its answer if that was not shown before. */
export async function printOutcome(
  session: SessionHandle,
  end: ClientOptions & {
    lines: Lines;
    json?: true;
    /** True if the answer has been shown while it was written. */
    isShown: boolean;
    entry: Prompt;
    form: AnswerValue | null;
    receipt: Receipt | null;
    usage: Usage;
  },
): Promise<void> {
  const { lines, entry, form, usage } = end;
  const { sessionId, promptId, outcome, result: text } = entry;
  if (end.json === true) {
    const value = form?.status === "fits" ? { value: form.value } : {};
    const problems = form?.status === "unfit" ? { problems: form.problems } : {};
    const line = { type: "outcome", sessionId, promptId, outcome, text, usage };
    console.log(JSON.stringify({ ...line, ...value, ...problems }));
    return;
  }
  if (form?.status === "fits") console.log(JSON.stringify(form.value, null, 2));
  else if (!end.isShown && outcome?.status === "completed" && form === null) {
    const stream = createTextStream();
    console.log(stream.take(text ?? "") + stream.flush());
  }
  lines.note("");
  if (end.receipt !== null) lines.say(receiptText(end.receipt));
  const { holds, background, agent } = await session.get();
  const why = holds.map(holdText).join("; ");
  const command = `holdfast run${placeWords(end)}${agentWords(entry, agent)} --session ${shortId(sessionId)}`;
  if (outcome === null) {
    const again = `${command} --release "go on"`;
    lines.say(`paused: ${why}; the prompt is kept; to continue: ${again}`);
    return;
  }
  const message = outcome.status === "failed" && text !== null ? `: ${printable(text)}` : "";
  const word = `${outcomeText(entry)}${message}`;
  const print = outcome.status === "completed" ? lines.note : lines.say;
  if (form?.status === "unfit") {
    lines.say(`the answer does not match the schema: ${form.problems.join("; ")}`);
    lines.say(`the answer was: ${printable(text ?? "")}`);
  } else
    print(
      `${outcome.status === "completed" ? onStderr("green", word) : onStderr("red", word)}${usageText(usage)}`,
    );
  if (holds.length > 0) {
    lines.say(`the session is paused (${why}); its next prompt resumes it`);
  }
  if (background.length > 0) {
    const children = background.map((child) => shortId(child.sessionId)).join(", ");
    lines.note(`still running in the background: ${children}`);
  }
  lines.note(`continue with: ${command} "..."`);
}

/** Formats the token usage and cost. Empty if no tokens were counted; without the cost if the price is unknown. */
export function usageText({ inputTokens, outputTokens, cost }: Usage): string {
  if (inputTokens === 0 && outputTokens === 0 && cost === 0) return "";
  const count = new Intl.NumberFormat("en");
  const price = cost === 0 ? "" : `, $${cost < 0.01 ? cost.toPrecision(2) : cost.toFixed(2)}`;
  return `; ${count.format(inputTokens)} tokens in, ${count.format(outputTokens)} out${price}`;
}

/** Returns the option that sends the next prompt to the same agent. Empty if a prompt without the option goes there. */
function agentWords({ agent }: Prompt, sessionAgent: string | null): string {
  const usual = sessionAgent ?? process.env["HOLDFAST_AGENT"];
  if (agent === undefined || agent === usual) return "";
  return ` --agent ${shellWord(agent)}`;
}
