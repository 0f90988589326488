import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { done, openLane } from "../lane-client.ts";

// A process that owns the store and runs a prompt, until it is killed.

const [, , file = ""] = process.argv;
const store = await openSqliteStore({ file });
await store.join({ nodeId: "first", ttl: 3_600_000 });
const lane = openLane(store, "s");
await lane.create();
done(await lane.accept("p1"));
done(await lane.start("run1", { owner: "first" }));
console.log("running");
setInterval(() => {}, 1000);
