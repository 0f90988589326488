import { CliError } from "../cli-error.ts";
import { createLines } from "./lines.ts";
import { askPerson, terminalInput } from "./person.ts";
import { readYesOrNo } from "./reply.ts";

/** Asks at the terminal; where there is none, nothing is taken for a yes. */
export async function confirm(question: string): Promise<boolean> {
  const input = terminalInput();
  if (input === null) {
    const advice = "--yes does it without asking";
    throw new CliError("notConfirmed", `there is no terminal to ask on; ${advice}`);
  }
  const lines = createLines({ answers: true, notes: true });
  const { signal } = new AbortController();
  const prompt = `${question} y or n: `;
  const answer = await askPerson(lines, { prompt, signal, input, read: readYesOrNo });
  const isYes = typeof answer === "object" && answer.verdict === "allow";
  if (!isYes) console.log("Nothing was changed.");
  return isYes;
}
