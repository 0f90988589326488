import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ReleaseError } from "./release-error.ts";

const groups = new Set(["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]);

interface Section {
  /** A version, or "Unreleased". */
  readonly name: string;
  readonly date: string | null;
  readonly groups: string[];
  entries: number;
}

/**
 * Checks CHANGELOG.md (keepachangelog.com) and returns a line that describes it. A release needs a section
 * with its version and nothing under Unreleased; a dry run accepts entries there.
 */
export function checkChangelog(options: {
  root: string;
  version: string;
  isDryRun: boolean;
}): string {
  const { root, version, isDryRun } = options;
  const sections = readSections(readFileSync(join(root, "CHANGELOG.md"), "utf8"));
  const [unreleased, ...released] = sections;
  if (unreleased?.name !== "Unreleased") {
    throw new ReleaseError("CHANGELOG.md must start with the section: ## [Unreleased]");
  }
  for (const section of released) checkSection(section);
  const versions = released.map(({ name }) => name);
  const sorted = versions.toSorted(newestFirst);
  if (versions.join() !== sorted.join()) {
    throw new ReleaseError(`CHANGELOG.md must list versions newest first: ${sorted.join(", ")}`);
  }
  const current = released.find(({ name }) => name === version);
  if (current === undefined) {
    throw new ReleaseError(
      `CHANGELOG.md has no section for ${version}. Add the heading: ## [${version}] - YYYY-MM-DD`,
    );
  }
  if (unreleased.entries > 0 && !isDryRun) {
    throw new ReleaseError(
      `CHANGELOG.md has ${unreleased.entries} entries under Unreleased. Choose the next version, set it in ` +
        `every package.json, and move the entries below its heading. RELEASING.md has the steps.`,
    );
  }
  return `${version} of ${current.date} has ${current.entries} entries, Unreleased has ${unreleased.entries}`;
}

function readSections(text: string): Section[] {
  const sections: Section[] = [];
  for (const line of text.split("\n")) {
    const heading = /^## \[(?<name>[^\]]+)\](?: - (?<date>\S+))?$/.exec(line)?.groups;
    const section = sections.at(-1);
    if (heading !== undefined) {
      const { name = "", date = null } = heading;
      sections.push({ name, date, groups: [], entries: 0 });
    } else if (line.startsWith("## ")) {
      throw new ReleaseError(`CHANGELOG.md has a heading that is not a version: ${line}`);
    } else if (line.startsWith("### ")) {
      const group = line.slice(4);
      section?.groups.push(group);
      if (!groups.has(group)) {
        throw new ReleaseError(
          `CHANGELOG.md has the group "${group}". Use one of: ${[...groups].join(", ")}`,
        );
      }
    } else if (line.startsWith("- ") && section !== undefined) section.entries += 1;
  }
  return sections;
}

function checkSection({ name, date, entries }: Section): void {
  if (date === null || !/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))) {
    throw new ReleaseError(
      `CHANGELOG.md gives ${name} no valid date. Write: ## [${name}] - YYYY-MM-DD`,
    );
  }
  if (entries === 0) throw new ReleaseError(`CHANGELOG.md has no entries for ${name}. Add some.`);
}

function newestFirst(a: string, b: string): number {
  return b.localeCompare(a, "en", { numeric: true });
}
