/** The rows of an ask, before they are fitted into the window. */
export interface AskParts {
  readonly from: readonly string[];
  readonly question: readonly string[];
  /** Number of rows at the start of the question that are warnings. */
  readonly leading: number;
  /** Warnings after the question. */
  readonly notes: readonly string[];
  readonly preview: readonly string[];
  readonly choices: readonly string[];
  readonly keys: readonly string[];
}

export interface DrawnAsk {
  readonly rows: readonly string[];
  /** True if the window has room for all answer keys and for at least a part of the question. */
  readonly hasRoom: boolean;
  /** True if no row is left out. */
  readonly isWhole: boolean;
}

/** Number of rows of the question and the preview in a window of usual height. A higher window shows more. */
const usualRows = 18;

/**
 * Fits an ask into a number of rows. Leaves out rows of the preview and of the question first, then warnings and
 * choices. One row says how many are left out.
 */
export function fitAsk(
  parts: AskParts,
  { height, mark }: { height: number; mark: (hidden: number) => string },
): DrawnAsk {
  const { from, question, leading, notes, preview, choices, keys } = parts;
  const space = height - from.length - keys.length;
  const room = space - notes.length - choices.length;
  const limit = Math.min(room, leading + Math.max(usualRows, Math.floor((height * 3) / 4)));
  const hidden = question.length + preview.length - limit;
  if (hidden <= 0) {
    const body = [...from, ...question, ...notes, ...preview, ...choices, ...keys];
    const rows = body.length < height ? ["", ...body] : body;
    return { rows, hasRoom: true, isWhole: true };
  }
  const shown = limit - 1;
  if (shown <= leading) return withoutWarnings(parts, { space, mark });
  // The question gets at least half of the rows.
  const asked = Math.min(question.length, Math.max(Math.ceil(shown / 2), shown - preview.length));
  const first = Math.max(asked, Math.min(question.length, leading + 1));
  const marker = mark(hidden + 1);
  const isAsked = first === question.length;
  const rows = [
    ...from,
    ...question.slice(0, first),
    ...(isAsked ? [] : [marker]),
    ...notes,
    ...preview.slice(0, Math.max(0, shown - first)),
    ...(isAsked ? [marker] : []),
    ...choices,
    ...keys,
  ];
  return { rows: rows.length < height ? ["", ...rows] : rows, hasRoom: true, isWhole: false };
}

/** Fits an ask into a window that is too low for its warnings: shows the first rows and the keys. */
function withoutWarnings(
  { from, question, notes, preview, choices, keys }: AskParts,
  { space, mark }: { space: number; mark: (hidden: number) => string },
): DrawnAsk {
  const body = [...question, ...notes, ...preview, ...choices];
  if (space < 2) return { rows: [], hasRoom: false, isWhole: false };
  const rows = [...from, ...body.slice(0, space - 1), mark(body.length - space + 1), ...keys];
  return { rows, hasRoom: true, isWhole: false };
}
