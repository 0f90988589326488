/** Writes an answer's text to stdout and everything about it to stderr, never both on one line. */
export interface Lines {
  /** A piece of running text. */
  text(piece: string): void;
  /** A line of its own about what is going on. */
  note(line: string): void;
  /** The beginning of a line that a person ends at the keyboard. */
  question(text: string): void;
  /** The person has ended the line. */
  answered(): void;
  /** Ends a line of running text that is still open. */
  endText(): void;
}

export function createLines(): Lines {
  let open = false;
  let asking = false;
  const endText = (): void => {
    if (open) process.stdout.write("\n");
    open = false;
  };
  return {
    text: (piece) => {
      if (piece === "") return;
      process.stdout.write(piece);
      open = !piece.endsWith("\n");
    },
    note: (line) => {
      endText();
      process.stderr.write(`${asking ? "\n" : ""}${line}\n`);
      asking = false;
    },
    question: (text) => {
      endText();
      asking = true;
      process.stderr.write(text);
    },
    answered: () => {
      asking = false;
    },
    endText,
  };
}
