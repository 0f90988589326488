import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeText } from "../../src/workspace/loader.ts";
import { settled } from "../support/hand-clock.ts";
import { openWorld } from "./support/world.ts";
import type { World } from "./support/world.ts";

// Resources that start slowly: runs do not wait for them, and they join with the next config version.

const files = "config:files";

function noticesOf(world: World): string[] {
  return world.host.get("a")?.current?.notices.map(noticeText) ?? [];
}

async function openEdited(
  world: World,
): Promise<{ readonly edit: (number: number) => () => void }> {
  let edited = false;
  world.outdate(files, async () => edited);
  world.configure("a", { digest: "1", resources: [files] });
  (await world.run("r0")).release();
  world.log();
  return {
    edit: (number) => {
      const opening = Promise.withResolvers<void>();
      const key = `mcp:x${number}`;
      world.behave(key, {
        open: () => {
          // The files have been read when this resource is opened.
          edited = false;
          return opening.promise;
        },
      });
      world.configure("a", { digest: `${number}`, resources: [files, key] });
      edited = true;
      return opening.resolve;
    },
  };
}

test("M1 M6 a run waits 5 s for an edit whose server hangs, then uses the current version", async (t) => {
  const world = openWorld(t);
  const { edit } = await openEdited(world);
  const goOn = edit(2);
  const waits: string[] = [];
  const request = { directory: "a", sessionId: "s1", parentRunId: null };
  const first = world.host.acquire({ ...request, onWait: () => waits.push("r1") });
  await settled();
  assert.deepEqual([waits, world.host.isReady("a")], [["r1"], false]);
  await world.clock.move(4_999);
  const beside = world.host.acquire({ ...request, onWait: () => waits.push("r2") });
  await settled();
  assert.deepEqual([waits, world.host.isReady("a")], [["r1", "r2"], false]);
  await world.clock.move(1);
  const old = await Promise.all([first, beside]);
  // The resource still hangs, and nothing waits for it any more.
  assert.equal(world.host.isReady("a"), true);
  assert.deepEqual(noticesOf(world), ["a change is still being loaded; runs start without it"]);
  old.push(await world.host.acquire({ ...request, onWait: () => waits.push("r3") }));
  assert.deepEqual(
    [waits, old.map(({ workspace }) => workspace.generation[0])],
    [
      ["r1", "r2"],
      ["1", "1", "1"],
    ],
  );
  goOn();
  await settled();
  const next = await world.run("r4");
  assert.deepEqual([next.workspace.generation[0], noticesOf(world)], ["2", []]);
  for (const pin of [...old, next]) pin.release();
});

test("M6 an edit whose server hangs until the timeout is reported as failed", async (t) => {
  const world = openWorld(t);
  const { edit } = await openEdited(world);
  edit(2);
  const running = world.run("r1");
  await world.clock.move(30_000);
  (await running).release();
  const problem = "server mcp:x2 could not be opened: it was not ready within 30 s";
  assert.deepEqual(noticesOf(world), [problem]);
});

test("M6 a run waits for the server of each later edit again, once per edit", async (t) => {
  const world = openWorld(t);
  const { edit } = await openEdited(world);
  edit(2);
  const first = world.run("r1");
  await world.clock.move(5_000);
  (await first).release();
  const goOn = edit(3);
  const second = world.run("r2");
  await settled();
  assert.equal(world.host.isReady("a"), false);
  await world.clock.move(5_000);
  (await second).release();
  // The same edit, after the time limit of the resource.
  (await world.run("r3")).release();
  await world.clock.move(20_000);
  goOn();
  await settled();
  const last = await world.run("r4");
  assert.deepEqual([world.log().at(-1), noticesOf(world)], [`build a 3 [${files} mcp:x3]`, []]);
  last.release();
});

test("M6 at the first load a server may be late, and joins with the next config version", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:slow"] } });
  let said: string | null = "slow is not there yet";
  world.behave("mcp:slow", { notice: () => said });
  const first = await world.run("r1");
  assert.deepEqual(
    [world.patience("mcp:slow"), noticesOf(world)],
    [[5_000], ["slow is not there yet"]],
  );
  said = null;
  world.change("mcp:slow", "with tools");
  assert.deepEqual([world.wanted, noticesOf(world)], [[{ directory: "a", cause: "mcp" }], []]);
  await world.refresh();
  const second = await world.run("r2");
  assert.deepEqual(
    [first, second].map(({ workspace }) => workspace.without),
    [["server mcp:slow"], undefined],
  );
  assert.deepEqual(world.log(), [
    "read a",
    "open mcp:slow 1",
    "build a 1 [mcp:slow]",
    "read a",
    "build a 1 [mcp:slow]",
  ]);
  first.release();
  second.release();
});

test("M6 a refresh waits for new resources, but not for those that were already missing", async (t) => {
  const world = openWorld(t, { a: { digest: "1", resources: ["mcp:bad"] } });
  let works = false;
  const open = (): Promise<void> => (works ? Promise.resolve() : Promise.reject(new Error("no")));
  world.behave("mcp:bad", { open });
  await world.host.load("a");
  world.configure("a", { digest: "2", resources: ["mcp:bad", "mcp:x"] });
  await world.refresh();
  works = true;
  await world.refresh({ restart: ["mcp:bad"] });
  assert.deepEqual(
    [world.patience("mcp:bad"), world.patience("mcp:x")],
    [[5_000, 5_000, null], [null]],
  );
});
