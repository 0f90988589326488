import type { Locator, Page } from "playwright-core";

/** The visible part of a control on the screen. */
interface Box {
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Number of the innermost element around the control that scrolls; -1 if none does. */
  readonly scroller: number;
  /** Whether the control stays in place while its surroundings scroll below it. */
  readonly isSticky: boolean;
}

/** Finds controls that overlap, controls that are off the screen, and a page that is wider than the screen. */
export async function layoutProblems(page: Page, parts: string): Promise<string[]> {
  const boxes = await page.evaluate<readonly Box[]>(`(${boxesOf})(${JSON.stringify(parts)})`);
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  const outside = boxes
    .filter(
      ({ left, right, top, bottom }) =>
        left < -0.5 || right > size.width + 0.5 || top < -0.5 || bottom > size.height + 0.5,
    )
    .map(({ name }) => `${name} is off the screen`);
  const overlaps = boxes.flatMap((box, index) =>
    boxes
      .slice(index + 1)
      .filter((other) => doOverlap(box, other))
      .map((other) => `${box.name} overlaps ${other.name}`),
  );
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
  return [...outside, ...overlaps, ...(wide > size.width ? [`the page is ${wide} px wide`] : [])];
}

/** Whether a click in the middle of the control would hit it, without scrolling. */
export async function isInReach(control: Locator): Promise<boolean> {
  // Unlike other methods of a locator, this one does not wait for an element that is not there.
  return control.evaluateAll(([element]) => {
    if (element === undefined) return false;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const hit = element.ownerDocument.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return element.contains(hit);
  });
}

/**
 * Runs in the page. A control inside an element that scrolls counts with its visible part. If no part is visible, the
 * control is left out, because scrolling reaches it.
 */
const boxesOf = `(parts) => {
  const scrollers = [];
  const boxes = [];
  const controls = [...document.querySelectorAll(parts)]
    .flatMap((part) => [...part.querySelectorAll("button, input, textarea, select, a")])
    .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((each) => each.getBoundingClientRect().width > 0);
  for (const each of controls) {
    let { left, right, top, bottom } = each.getBoundingClientRect();
    let scroller = -1;
    let isSticky = false;
    for (let around = each.parentElement; around !== null; around = around.parentElement) {
      const { overflowX, overflowY, position } = getComputedStyle(around);
      if (scroller === -1 && position === "sticky") isSticky = true;
      const scrolls = [overflowX, overflowY].some((value) => value === "auto" || value === "scroll");
      if (!scrolls || around === document.body) continue;
      if (!scrollers.includes(around)) scrollers.push(around);
      if (scroller === -1) scroller = scrollers.indexOf(around);
      const edge = around.getBoundingClientRect();
      [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    if (right - left < 1 || bottom - top < 1) continue;
    const name = (each.innerText || each.ariaLabel || each.className).trim();
    boxes.push({ name, left, right, top, bottom, scroller, isSticky });
  }
  return boxes;
}`;

function doOverlap(left: Box, right: Box): boolean {
  if (left.scroller === right.scroller && left.isSticky !== right.isSticky) return false;
  return (
    left.left < right.right - 1 &&
    right.left < left.right - 1 &&
    left.top < right.bottom - 1 &&
    right.top < left.bottom - 1
  );
}
