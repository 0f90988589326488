import { scenarios } from "./scenarios.ts";
import { openVendorWorld } from "./world.ts";
import type { Installing, Vendor } from "./vendor.ts";

/** The column of one agent in the table. */
export interface Column {
  readonly name: string;
  /** Cells by the title of their row. */
  readonly cells: ReadonlyMap<string, string>;
  /** Broken promises and scenarios that did not end. */
  readonly problems: readonly string[];
}

/** Plays scenarios with one agent, one after the other in the same session. */
export async function playVendor(
  vendor: Vendor,
  options: {
    readonly install: Installing;
    /** Only the scenarios with these words in their title. Default: all. */
    readonly only?: string;
    readonly progress?: (message: string) => void;
  },
): Promise<Column> {
  const { install, only = "", progress = () => {} } = options;
  const { name } = vendor;
  const cells = new Map<string, string>();
  const problems: string[] = [];
  const world = await openVendorWorld(vendor, install);
  try {
    for (const scenario of scenarios.filter(({ title }) => title.includes(only))) {
      const { title } = scenario;
      const start = performance.now();
      try {
        cells.set(title, await scenario.play(world));
      } catch (error) {
        cells.set(title, "broken");
        problems.push(
          `${name}: ${title}: ${error instanceof Error ? error.message : String(error)}`,
        );
        // Cancel the work of the broken scenario, so that it does not disturb the next one.
        await world.session.cancel();
      }
      const seconds = ((performance.now() - start) / 1_000).toFixed(1);
      progress(`${name}: ${title}: ${cells.get(title)} (${seconds} s)`);
    }
    const violations = await world.examine();
    problems.push(...violations.map((violation) => `${name}: ${JSON.stringify(violation)}`));
  } finally {
    await world.close();
  }
  return { name, cells, problems };
}

/** Formats the columns as a table in Markdown. */
export function tableOf(columns: readonly Column[]): string {
  const titles = [...new Set(columns.flatMap(({ cells }) => [...cells.keys()]))];
  const rows = titles.map((title) => [
    title,
    ...columns.map(({ cells }) => cells.get(title) ?? "not played"),
  ]);
  const head = ["", ...columns.map(({ name }) => name)];
  const rule = head.map(() => "---");
  return [head, rule, ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
