/** Styles one piece of text. */
export type Paint = (text: string) => string;

/** The styles of a theme. All coloured output of the client uses these styles. */
export interface Look {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strike: Paint;
  /** Style of the selected row of a list. */
  readonly selected: Paint;
  readonly accent: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly warn: Paint;
  readonly code: Paint;
  readonly heading: Paint;
  readonly added: Paint;
  readonly removed: Paint;
  readonly keyword: Paint;
  readonly text: Paint;
  readonly number: Paint;
  readonly comment: Paint;
  /** False: NO_COLOR is set, or the terminal has no colours. */
  readonly hasColours: boolean;
}

export const themes = ["auto", "dark", "light", "plain"] as const;
export type Theme = (typeof themes)[number];

export function hasColours({ NO_COLOR = "", TERM = "" }: NodeJS.ProcessEnv): boolean {
  return NO_COLOR === "" && TERM !== "dumb";
}

export function createLook(theme: Theme, hasColours: boolean): Look {
  const isPlain = !hasColours || theme === "plain";
  const colour = (codes: Palette[keyof Palette]): Paint =>
    isPlain ? (text) => text : sgr(codes, 39);
  const palette = palettes[theme === "light" ? "light" : theme === "dark" ? "dark" : "auto"];
  return {
    bold: sgr("1", 22),
    dim: isPlain ? (text) => text : sgr("2", 22),
    italic: sgr("3", 23),
    underline: sgr("4", 24),
    strike: sgr("9", 29),
    selected: sgr("7", 27),
    accent: colour(palette.accent),
    good: colour(palette.good),
    bad: colour(palette.bad),
    warn: colour(palette.warn),
    code: colour(palette.code),
    heading: colour(palette.accent),
    added: colour(palette.good),
    removed: colour(palette.bad),
    keyword: colour(palette.keyword),
    text: colour(palette.text),
    number: colour(palette.number),
    comment: colour(palette.comment),
    hasColours: !isPlain,
  };
}

/** SGR codes of a theme. `auto` uses the 16 colours that the terminal's own theme defines. */
interface Palette {
  readonly accent: string;
  readonly good: string;
  readonly bad: string;
  readonly warn: string;
  readonly code: string;
  readonly keyword: string;
  readonly text: string;
  readonly number: string;
  readonly comment: string;
}

const palettes: Readonly<Record<"auto" | "dark" | "light", Palette>> = {
  auto: {
    accent: "36",
    good: "32",
    bad: "31",
    warn: "33",
    code: "36",
    keyword: "35",
    text: "32",
    number: "33",
    comment: "90",
  },
  dark: {
    accent: "38;5;80",
    good: "38;5;114",
    bad: "38;5;210",
    warn: "38;5;221",
    code: "38;5;152",
    keyword: "38;5;176",
    text: "38;5;150",
    number: "38;5;180",
    comment: "38;5;245",
  },
  light: {
    accent: "38;5;24",
    good: "38;5;28",
    bad: "38;5;124",
    warn: "38;5;130",
    code: "38;5;25",
    keyword: "38;5;90",
    text: "38;5;29",
    number: "38;5;94",
    comment: "38;5;243",
  },
};

function sgr(open: string, close: number): Paint {
  return (text) => (text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`);
}
