import assert from "node:assert/strict";
import { test } from "node:test";
import { createWorld, done } from "./support/world.ts";

test("M1 a run records missing resources, if any, when it starts and when it is resumed", () => {
  const missing = ["the MCP server search"];
  assert.deepEqual(said([]), []);
  assert.deepEqual(said(missing), [
    ["run.started", missing],
    ["run.resumed", missing],
  ]);
});

function said(without: readonly string[]): unknown[] {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.start("r1", { without }));
  done(world.handOver());
  done(world.takeover({ without }));
  return world
    .events()
    .flatMap((event) => ("without" in event ? [[event.type, event.without]] : []));
}
