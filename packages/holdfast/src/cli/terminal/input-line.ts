import { clearScreenDown, createInterface, cursorTo, moveCursor } from "node:readline";
import type { Key } from "node:readline";
import { createTextStream } from "./lines.ts";
import type { Lines } from "./lines.ts";

/** An input line at the bottom of the terminal, with output above it. */
export interface InputLine {
  /** Prints whole lines above the input line. */
  print(text: string): void;
  /** Sets the text before the input. */
  prompt(text: string): void;
  close(): void;
}

export function openInputLine(handlers: {
  onLine: (line: string) => void;
  onEscape: () => void;
  /** Called after Ctrl-C or Ctrl-D, or when the terminal is gone. */
  onLeave: () => void;
}): InputLine {
  const { stdin: input, stdout: output } = process;
  const line = createInterface({ input, output, terminal: true, escapeCodeTimeout: 50 });
  const pressed = (_text: string | undefined, key: Key | undefined): void => {
    if (key?.name === "escape") handlers.onEscape();
  };
  let isClosed = false;
  input.on("keypress", pressed);
  line.on("line", (text) => {
    handlers.onLine(text.trim());
    if (!isClosed) line.prompt();
  });
  line.on("SIGINT", () => handlers.onLeave());
  line.on("close", () => {
    if (!isClosed) handlers.onLeave();
  });
  /** Clears from the start of the input, which may be some rows above the cursor. */
  const erase = (): void => {
    moveCursor(output, 0, -line.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
  };
  return {
    print: (text) => {
      if (isClosed) return;
      erase();
      output.write(`${text}\n`);
      line.prompt(true);
    },
    prompt: (text) => {
      if (isClosed || line.getPrompt() === text) return;
      erase();
      line.setPrompt(text);
      line.prompt(true);
    },
    close: () => {
      isClosed = true;
      erase();
      input.off("keypress", pressed);
      line.close();
    },
  };
}

/** Output above an input line; a streaming answer appears line by line. */
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
