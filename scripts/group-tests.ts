import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Number of test files that share one process. Larger groups save little more, and cores would wait for the last group.
 */
const groupSize = 8;

/** Matches the text of test files that change or watch their process, so they need their own process. */
const changesProcess = new RegExp(
  [
    String.raw`process\.(on|once|off|chdir|emit|exit|memoryUsage|cpuUsage)`,
    // A file that only reads the environment can share a process.
    String.raw`process\.env\[[^\]]+\]\s*(\?\?)?=[^=]`,
    String.raw`(delete |assign\()process\.env`,
    String.raw`\bmock\.|globalThis|(before|after)Each\(`,
  ].join("|"),
);

/** Folders whose tests mostly wait for processes that they start. Grouping them would only make them run one by one. */
const startsProcesses = /\/(nodes|gauntlet|package|bench|examples)\//;

/**
 * Groups test files of the same folder, and returns one entry file for each group. Files of a group share a process,
 * which loads and compiles the modules once: that saves about a third of the processor time.
 */
export function groupTests(files: string[], scratch: string): string[] {
  const folder = mkdtempSync(join(scratch, "groups-"));
  return chooseGroups(files).map((group, index) => {
    const number = String(index).padStart(3, "0");
    const entry = join(folder, `${number}.test.ts`);
    writeFileSync(entry, entryText(group));
    return entry;
  });
}

/**
 * Returns the source of a group's entry file. No test starts before all files are loaded: tests that look for leaks
 * would otherwise count resources that another file opens while it loads.
 */
function entryText(group: string[]): string {
  const imports = group.map((file) => `  await import("${pathToFileURL(resolve(file)).href}");\n`);
  return `import { before } from "node:test";

const loaded = Promise.withResolvers<void>();
before(() => loaded.promise);
try {
${imports.join("")}} finally {
  loaded.resolve();
}
`;
}

/**
 * Returns groups of test files, in the order in which the groups should start. Files that need their own process come
 * first, because the slow files are among them.
 */
function chooseGroups(files: string[]): string[][] {
  const alone = files.filter(needsProcess);
  const byFolder = Map.groupBy(
    files.filter((file) => !needsProcess(file)),
    (file) => dirname(file),
  );
  const groups = [...byFolder.values()].flatMap((members) => chunk(members));
  return [...alone.map((file) => [file]), ...groups.toReversed()];
}

function needsProcess(file: string): boolean {
  return startsProcesses.test(file) || changesProcess.test(readFileSync(file, "utf8"));
}

/** Splits a list into parts of nearly equal length. */
function chunk(members: string[]): string[][] {
  const count = Math.ceil(members.length / groupSize);
  const size = Math.ceil(members.length / count);
  return Array.from({ length: count }, (_, index) =>
    members.slice(index * size, (index + 1) * size),
  ).filter((part) => part.length > 0);
}
