import { z } from "zod";
import type { AskAnswer, AskRequest } from "../agent.ts";
import { derivedId } from "../tools/derived-id.ts";
import type { ElicitAnswer } from "./caller.ts";
import { describeFields, fieldsOf, formChoices, readForm } from "./elicitation-form.ts";
import { brief, cleanText } from "./wire.ts";

const urlSchema = z.object({
  mode: z.literal("url"),
  message: z.string().catch(""),
  url: z.string().max(8_000),
});
const formSchema = z.object({
  message: z.string().catch(""),
  requestedSchema: z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() }),
});

/** A tool call whose MCP server asks for input. */
export interface AskingCall {
  readonly runId: string;
  readonly callId: string;
  readonly ask: (request: AskRequest) => Promise<AskAnswer>;
}

/** Maximum number of times that a person is asked if the answers do not fit the form. */
const maxTries = 3;
const maxMessage = 4_000;

/**
 * Handles the elicitation requests (requests for user input) that a server sends during one call. Each becomes a
 * question in the session.
 */
export function createElicitation(
  server: string,
  call: AskingCall,
): (params: unknown) => Promise<ElicitAnswer> {
  let asked = 0;
  const ask = (question: string, extra: Readonly<Record<string, unknown>>): Promise<AskAnswer> => {
    asked += 1;
    const { callId } = call;
    return call.ask({
      askId: derivedId(`input-${asked}`, call),
      within: callId,
      question,
      extra: { kind: "question", callId, ...extra },
    });
  };
  return async (params) => {
    const url = urlSchema.safeParse(params);
    if (url.success) return askForVisit(server, url.data, ask);
    const form = formSchema.safeParse(params);
    if (!form.success) throw new Error("the MCP server sent an invalid request for user input");
    return askForForm(server, form.data, ask);
  };
}

type Ask = (question: string, extra: Readonly<Record<string, unknown>>) => Promise<AskAnswer>;

/**
 * Asks a person to open an address. Shows the whole address, so that the person can judge it. Holdfast never opens it.
 */
async function askForVisit(
  server: string,
  { message, url }: z.infer<typeof urlSchema>,
  ask: Ask,
): Promise<ElicitAnswer> {
  const address = URL.parse(url);
  if (address === null || !["http:", "https:"].includes(address.protocol)) {
    throw new Error(
      "the MCP server asked to open an address that does not start with https:// or http://",
    );
  }
  const question = [
    `The MCP server ${server} asks you to open this address in your browser (host: ${address.host}):`,
    address.href,
    cleanText(message, maxMessage),
    'Answer "done" after you have opened it, or "decline".',
  ].join("\n");
  const elicitation = { server, mode: "url", url: address.href };
  const answer = await ask(question, { choices: ["done", "decline"], elicitation });
  return { action: refusalIn(answer) ?? "accept" };
}

async function askForForm(
  server: string,
  { message, requestedSchema }: z.infer<typeof formSchema>,
  ask: Ask,
): Promise<ElicitAnswer> {
  const fields = fieldsOf(requestedSchema);
  let problem: string | null = null;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const question = [
      ...(problem === null ? [] : [`The answer does not fit: ${problem}`]),
      `The MCP server ${server} asks for input: ${cleanText(message, maxMessage)}`,
      ...describeFields(fields),
    ].join("\n");
    const elicitation = { server, mode: "form", requestedSchema };
    const answer = await ask(question, { choices: formChoices(fields), elicitation });
    const refusal = refusalIn(answer);
    if (refusal !== null || answer.verdict === "expired") return { action: refusal ?? "cancel" };
    const read = readForm(fields, answer.text ?? "");
    if (read.problem === null) return { action: "accept", content: read.content };
    problem = brief(read.problem, 500);
  }
  return { action: "cancel" };
}

function refusalIn(answer: AskAnswer): "decline" | "cancel" | null {
  if (answer.verdict === "expired") return "cancel";
  if (answer.verdict === "deny") return "decline";
  const word = answer.text?.trim().toLowerCase();
  return word === "decline" || word === "cancel" ? word : null;
}
