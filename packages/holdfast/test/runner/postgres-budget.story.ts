import { after, before, test } from "node:test";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { budgetOfATree } from "./support/budget-of-a-tree.ts";
import { openPostgresPlace } from "./support/place.ts";
import { spender } from "./support/spender.ts";

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

const many = { agent: spender, maxRuns: 500, maxRunsPerDirectory: 500 };

for (const manner of ["foreground", "background"] as const) {
  test(`P6 a tree of 27 ${manner} children on two nodes exceeds its budget by one step per run at most`, async (t) => {
    const url = await server.createDatabase();
    await budgetOfATree(await openPostgresPlace(t, { ...many, url }), manner);
  });
}
