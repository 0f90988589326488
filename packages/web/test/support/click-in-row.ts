import type { Locator } from "playwright-core";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";

/**
 * Clicks a button that is visible only while the pointer is over its row. The row may move away from the pointer before
 * the click, for example because the list gets a new order.
 */
export async function clickInRow(row: Locator, label: string): Promise<void> {
  const click = async (): Promise<string | true> => {
    await row.hover();
    return row
      .getByLabel(label)
      .click({ timeout: 1_000 })
      .then(() => true, String);
  };
  await waitFor(click, {
    describe: `a click on ${label}`,
    until: (done) => done === true,
    limit: 60_000,
  });
}
