import type { InputLine } from "./input-line.ts";
import type { Lines } from "./lines.ts";
import { printable } from "./printable.ts";

/** Lines above a line in which a person types: an answer that streams appears line by line. */
export function createAttachLines(input: InputLine): Lines {
  let open = "";
  const endText = (): void => {
    if (open !== "") input.print(open);
    open = "";
  };
  const say = (line: string): void => {
    endText();
    input.print(line);
  };
  return {
    text: (piece) => {
      const lines = (open + printable(piece)).split("\n");
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
