import { onCleanup } from "solid-js";

// Highlights text in elements without changing them, with the CSS Custom Highlight API. Browsers without it show no
// highlights.

export interface TextMarks {
  /**
   * Highlights these words in the element `root` of `createTextMarks`, including rows that are rendered later. An empty
   * list removes all highlights.
   */
  show(words: readonly string[]): void;
  /** Highlights one range more strongly. */
  showCurrent(range: Range | null): void;
}

export function createTextMarks(root: () => HTMLElement | undefined): TextMarks {
  let words: readonly string[] = [];
  let isWaiting = false;
  const refresh = (): void => {
    isWaiting = false;
    const element = root();
    setHighlight("found", element === undefined ? [] : findRanges(element, words));
  };
  const observer = new MutationObserver(() => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(refresh);
  });
  const clear = (): void => {
    observer.disconnect();
    setHighlight("found", []);
    setHighlight("found-current", []);
  };
  onCleanup(clear);
  return {
    show(next) {
      words = next.filter((word) => word !== "");
      const element = root();
      if (words.length === 0 || element === undefined) return clear();
      observer.observe(element, { childList: true, subtree: true, characterData: true });
      refresh();
    },
    showCurrent: (range) => setHighlight("found-current", range === null ? [] : [range]),
  };
}

/** Finds words in the text of an element, even across markup. Case is ignored. */
export function findRanges(
  element: Element,
  words: readonly string[],
  isWanted: (node: Element) => boolean = () => true,
): Range[] {
  const nodes: { readonly node: Text; readonly from: number }[] = [];
  let text = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) {
    const node = walker.currentNode;
    if (!(node instanceof Text) || node.parentElement === null || !isWanted(node.parentElement)) {
      continue;
    }
    nodes.push({ node, from: text.length });
    text += node.data;
  }
  const lower = sameLengthLower(text);
  return words.flatMap((word) =>
    placesOf(lower, sameLengthLower(word)).map((from) => rangeOf(nodes, from, from + word.length)),
  );
}

function placesOf(text: string, word: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    places.push(at);
  }
  return places;
}

/** Returns the text in lower case, or unchanged if its length would change, so that positions stay the same. */
function sameLengthLower(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function rangeOf(nodes: readonly { node: Text; from: number }[], from: number, to: number): Range {
  const range = new Range();
  const first = nodes.findLast((each) => each.from <= from);
  const last = nodes.findLast((each) => each.from < to);
  if (first !== undefined) range.setStart(first.node, from - first.from);
  if (last !== undefined) range.setEnd(last.node, to - last.from);
  return range;
}

function setHighlight(name: string, ranges: readonly Range[]): void {
  if (!("highlights" in CSS)) return;
  if (ranges.length === 0) CSS.highlights.delete(name);
  else {
    const highlight = new Highlight(...ranges);
    highlight.priority = name === "found-current" ? 1 : 0;
    CSS.highlights.set(name, highlight);
  }
}
