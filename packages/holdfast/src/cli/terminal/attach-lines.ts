import type { InputLine } from "./input-line.ts";
import { createTextStream } from "./lines.ts";
import type { Lines } from "./lines.ts";

/** Lines above a line in which a person types: an answer that streams appears line by line. */
export function createAttachLines(input: InputLine): Lines {
  let open = "";
  let stream = createTextStream();
  const breakText = (): void => {
    const rest = open + stream.flush();
    if (rest !== "") input.print(rest);
    open = "";
  };
  const endText = (): void => {
    breakText();
    stream = createTextStream();
  };
  const say = (line: string): void => {
    breakText();
    input.print(line);
  };
  return {
    text: (piece) => {
      const lines = (open + stream.take(piece)).split("\n");
      open = lines.pop() ?? "";
      if (lines.length > 0) input.print(lines.join("\n"));
    },
    note: say,
    say,
    question: (text) => input.prompt(text),
    answered: () => {},
    withdrawn: () => {},
    endText,
    waiting: () => {},
    close: endText,
  };
}
