/** The colours of an answer, as a terminal numbers them. */
export const styles = {
  bold: "1",
  dim: "2",
  italic: "3",
  underline: "4",
  bullet: "33",
  code: "36",
} as const;

export type Style = (typeof styles)[keyof typeof styles];

/** Writes text, and changes the style only where it changes. */
export interface Pen {
  put(text: string, style: readonly Style[]): void;
  /** The letter that was put last. */
  last(): string;
  /** What was put since this was asked last. */
  written(): string;
}

export function createPen(): Pen {
  let current = "";
  let last = "\n";
  let out = "";
  return {
    put: (text, style) => {
      if (text === "") return;
      const wanted = style.join(";");
      if (wanted !== current) {
        if (current !== "") out += "\u001B[0m";
        if (wanted !== "") out += `\u001B[${wanted}m`;
      }
      current = wanted;
      last = text.slice(-1);
      out += text;
    },
    last: () => last,
    written: () => {
      const text = out;
      out = "";
      return text;
    },
  };
}
