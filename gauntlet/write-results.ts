import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { badge } from "./badge.ts";
import { htmlReport } from "./html-report.ts";
import { WrongOptions } from "./options.ts";
import type { Output } from "./options.ts";
import type { GauntletRecord } from "./report.ts";

/** Writes the files that the options request. */
export function writeResults(record: GauntletRecord, output: Output): void {
  const { json, html, page } = output;
  const data = `${JSON.stringify(record, null, 2)}\n`;
  if (json !== undefined) writeFileSync(json, data);
  if (html !== undefined) writeFileSync(html, htmlReport(record));
  if (output.badge !== undefined) writeFileSync(output.badge, badgeOf(record));
  if (page === undefined) return;
  const hasBadge = record.reports.length === 1;
  mkdirSync(page, { recursive: true });
  writeFileSync(join(page, "gauntlet.json"), data);
  if (hasBadge) writeFileSync(join(page, "badge.svg"), badgeOf(record));
  const links = hasBadge ? { badge: "badge.svg" } : {};
  writeFileSync(join(page, "index.html"), htmlReport(record, links));
}

function badgeOf({ reports, at }: GauntletRecord): string {
  const [report, other] = reports;
  if (report === undefined || other !== undefined) {
    throw new WrongOptions("--badge needs the results of exactly one target");
  }
  return badge(report, at);
}
