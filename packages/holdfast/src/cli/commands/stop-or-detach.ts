import type { Lines } from "../terminal/lines.ts";
import { askPerson, terminalInput } from "../terminal/person.ts";
import type { Choice } from "./interrupts.ts";

/** Asks the person after the first Ctrl-C whether to stop the prompt, leave it running, or continue. */
export async function askStopOrDetach(lines: Lines, signal: AbortSignal): Promise<Choice> {
  const prompt = "Stop the prompt (s), leave it to the server (d), or continue (Enter)? ";
  const input = terminalInput();
  const answer = await askPerson(lines, { prompt, signal, input, read: readChoice });
  if (answer === "gone") return "detach";
  return answer === "takenBack" ? "goOn" : answer;
}

function readChoice(line: string): Choice | null {
  return choices[line.trim().toLowerCase()] ?? null;
}

const choices: Readonly<Record<string, Choice>> = {
  s: "stop",
  stop: "stop",
  d: "detach",
  detach: "detach",
  "": "goOn",
  c: "goOn",
};
