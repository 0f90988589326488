import { findRanges } from "../../ui/text-marks.ts";

/** Maximum number of frames to wait until a row is rendered or a card is open. */
const maxFrames = 60;
/** Number of frames in which the heights of newly rendered rows may still change. */
const settleFrames = 6;

/**
 * Makes found words in a session visible: waits until the row of the entry `entryId` is rendered, opens the card of the
 * tool call `callId`, and expands shortened text. Returns the positions of the words in the page.
 */
export async function revealText(
  root: HTMLElement,
  place: {
    readonly entryId: string;
    readonly callId: string | null;
    readonly words: readonly string[];
  },
): Promise<readonly Range[]> {
  const id = CSS.escape(place.entryId);
  const row = await waitForElement(root, `[data-row="${id}"], [data-joined~="${id}"]`);
  if (row === null) return [];
  markRow(row);
  const { callId, words } = place;
  if (callId === null)
    return find(row, words, (node) => node.closest("[data-call], .row-head") === null);
  row
    .querySelector<HTMLElement>(
      `[data-calls~="${CSS.escape(callId)}"] > .call-head[aria-expanded=false]`,
    )
    ?.click();
  const card = await waitForElement(row, `[data-call="${CSS.escape(callId)}"]`);
  if (card === null) return [];
  const inTitle = findRanges(card, words, isText);
  card.querySelector<HTMLElement>(".call-head[aria-expanded=false]")?.click();
  await nextFrame();
  const ranges = await find(card, words, isText);
  return ranges.length === 0 ? inTitle : ranges;
}

function isText(node: Element): boolean {
  return node.closest(".call-status, .call-time") === null;
}

/** Scrolls the range to the middle of the list, unless it is visible. Repeats this while the heights of rows change. */
export async function scrollToRange(root: HTMLElement, range: Range): Promise<void> {
  for (let frame = 0; frame < settleFrames; frame += 1) {
    const { top, bottom } = range.getBoundingClientRect();
    const view = root.getBoundingClientRect();
    const isVisible = top >= view.top + 40 && bottom <= view.bottom - 20;
    if (!isVisible) root.scrollTop += top - view.top - view.height / 2;
    await nextFrame();
  }
}

async function find(
  element: Element,
  words: readonly string[],
  isWanted: (node: Element) => boolean,
): Promise<readonly Range[]> {
  const ranges = findRanges(element, words, isWanted);
  const more = element.querySelector<HTMLElement>("[data-unfold]");
  if (ranges.length > 0 || more === null || !isWanted(more)) return ranges;
  more.click();
  await nextFrame();
  return findRanges(element, words, isWanted);
}

/** Highlights the found row for a moment, and no other row. */
function markRow(row: Element): void {
  for (const other of document.querySelectorAll(".found-row")) other.classList.remove("found-row");
  row.classList.add("found-row");
  setTimeout(() => row.classList.remove("found-row"), 1_600);
}

async function waitForElement(root: Element, selector: string): Promise<Element | null> {
  for (let frame = 0; frame < maxFrames; frame += 1) {
    const found = root.querySelector(selector);
    if (found !== null) return found;
    await nextFrame();
  }
  return null;
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => resolve()));
}
