type Fields = Readonly<Record<string, unknown>>;

/**
 * Collects the structured reasoning of an answer (`reasoning_details`). Later requests must send the same list with
 * that answer, or the model cannot continue after a tool call.
 */
export interface ReasoningDetails {
  add(piece: Fields): void;
  all(): readonly Fields[];
}

export function createReasoningDetails(): ReasoningDetails {
  const details: Fields[] = [];
  return {
    add: (piece) => {
      const last = details.at(-1);
      if (last !== undefined && continues(last, piece)) {
        details[details.length - 1] = joined(last, piece);
      } else details.push(piece);
    },
    all: () => details,
  };
}

/** Returns the readable text of a piece. Encrypted reasoning has none. */
export function detailText({ type, text, summary }: Fields): string {
  const shown = type === "reasoning.text" ? text : type === "reasoning.summary" ? summary : "";
  return typeof shown === "string" ? shown : "";
}

/** True if a piece continues the last one. Texts arrive in pieces; an encrypted block arrives whole. */
function continues(last: Fields, piece: Fields): boolean {
  const isText = piece["type"] === "reasoning.text" || piece["type"] === "reasoning.summary";
  return isText && last["type"] === piece["type"] && last["index"] === piece["index"];
}

function joined(last: Fields, piece: Fields): Fields {
  const given = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  const field = piece["type"] === "reasoning.text" ? "text" : "summary";
  return { ...last, ...Object.fromEntries(given), [field]: detailText(last) + detailText(piece) };
}
