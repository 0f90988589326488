import { createServer } from "node:http";
import type { BareStartJob } from "./start.ts";

// A minimal server, which the benchmark compares with Holdfast's server. It opens the same database and listens, and
// does nothing else.

const job: BareStartJob = JSON.parse(process.argv[2] ?? "null");
const close = await openDatabase(job);
const server = createServer((_, response) => response.end("ready"));
server.listen(job.port, "127.0.0.1");
process.once("SIGTERM", () => {
  server.closeAllConnections();
  server.close();
  void close();
});

/**
 * Loads only the needed driver. Also reads from the database, because some drivers do nothing until the first query.
 */
async function openDatabase({ place }: BareStartJob): Promise<() => unknown> {
  switch (place.engine) {
    case "sqlite": {
      const { DatabaseSync } = await import("node:sqlite");
      const database = new DatabaseSync(place.file);
      database.prepare("SELECT max(position) FROM events").get();
      return () => database.close();
    }
    case "postgres": {
      const { default: pg } = await import("pg");
      const client = new pg.Client({ connectionString: place.url });
      await client.connect();
      await client.query("SELECT max(position) FROM holdfast.events");
      return () => client.end();
    }
  }
}
