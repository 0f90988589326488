/**
 * A text in the form that search compares: without accents, and with one form for compatible characters, such as
 * full-width letters.
 */
export interface FoldedText {
  /** The original text, in Unicode's composed form. `place` returns positions in this text. */
  readonly text: string;
  /**
   * The text for comparison: without accents, and with normal instead of full-width letters. Upper case stays, because
   * it separates the words of an identifier such as `userName`.
   */
  readonly folded: string;
  /** Converts a position in `folded` to the position in `text`. */
  place(index: number): number;
}

/** Folds a text character by character, so that every folded character has a position in the original text. */
export function foldText(original: string): FoldedText {
  if (isAscii.test(original)) {
    return { text: original, folded: original, place: (index) => index };
  }
  const text = original.normalize("NFC");
  const parts: string[] = [];
  const places: number[] = [];
  let index = 0;
  for (const character of text) {
    const folded = foldCharacter(character);
    parts.push(folded);
    for (let unit = 0; unit < folded.length; unit += 1) places.push(index);
    index += character.length;
  }
  return { text, folded: parts.join(""), place: (at) => places[at] ?? text.length };
}

/** Converts to lower case for comparison. Also replaces ς, the sigma at the end of Greek words, with σ. */
export function lower(folded: string): string {
  return folded.toLowerCase().replaceAll("ς", "σ");
}

// eslint-disable-next-line no-control-regex -- all ASCII characters include control characters
const isAscii = /^[\u0000-\u007f]*$/;

const known = new Map<string, string>();
const maxKnown = 20_000;

function foldCharacter(character: string): string {
  if (character < "\u0080") return character;
  const found = known.get(character);
  if (found !== undefined) return found;
  const folded = character.normalize("NFKD").replaceAll(/\p{M}/gu, "").normalize("NFC");
  if (known.size >= maxKnown) known.clear();
  known.set(character, folded);
  return folded;
}
