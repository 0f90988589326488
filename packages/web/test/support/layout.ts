import type { Page } from "playwright-core";

/** The place of a control on the screen. */
interface Box {
  readonly name: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Whether the control is inside an element that scrolls, so that it may be out of sight. */
  readonly scrolls: boolean;
}

/** Finds controls that overlap, controls that are off the screen, and a page that is wider than the screen. */
export async function layoutProblems(page: Page, parts: string): Promise<readonly string[]> {
  const boxes = await page.evaluate<readonly Box[]>(`
    [...document.querySelectorAll(${JSON.stringify(parts)})]
      .flatMap((part) => [...part.querySelectorAll("button, input, textarea, select, a")])
      .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((each) => each.getBoundingClientRect().width > 0)
      .map((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        const name = (each.innerText || each.ariaLabel || each.className).trim();
        const scrolls = each.closest(".ask-preview, .call-body, .virtual-list, [data-scrolls]") !== null;
        return { name, left, right, top, bottom, scrolls };
      })
  `);
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  const outside = boxes
    .filter(({ left, right }) => left < -0.5 || right > size.width + 0.5)
    .concat(
      boxes.filter(
        ({ scrolls, top, bottom }) => !scrolls && (top < 0 || bottom > size.height + 0.5),
      ),
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

function doOverlap(left: Box, right: Box): boolean {
  return (
    left.left < right.right - 1 &&
    right.left < left.right - 1 &&
    left.top < right.bottom - 1 &&
    right.top < left.bottom - 1
  );
}
