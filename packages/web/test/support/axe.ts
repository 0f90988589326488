import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Loads axe into all later documents of the page. The page must have been opened with `bypassCSP`. */
export async function addAxe(page: Page): Promise<void> {
  const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.addInitScript({ content: await readFile(path, "utf8") });
}

/** Returns the serious problems that axe finds in a part of the page. */
export async function findings(page: Page, view: string, part: string): Promise<readonly string[]> {
  const found = await page.evaluate<{ violations: Finding[] }>(
    `axe.run(${JSON.stringify(part)}, { resultTypes: ["violations"], preload: false })`,
  );
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes: [node] }) => `${view}: ${id}: ${node?.html} ${node?.failureSummary ?? ""}`);
}
