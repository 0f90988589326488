import { writeSync } from "node:fs";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Job } from "../chaos/job.ts";
import { work } from "../chaos/workload.ts";

// A process that owns a SQLite store, to be killed at any moment.

const [, , jobText = "", file = ""] = process.argv;
const job: Job = JSON.parse(jobText);
const store = await openSqliteStore({ file });
await work({
  store,
  job,
  report: (acknowledgement) => void writeSync(1, `${JSON.stringify(acknowledgement)}\n`),
});
await store.close();
