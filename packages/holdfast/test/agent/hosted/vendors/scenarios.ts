import assert from "node:assert/strict";
import type { Settled } from "@holdfast/sdk";
import { waitFor } from "../../../support/wait-for.ts";
import { isAlive } from "../world.ts";
import { patience } from "./world.ts";
import type { VendorWorld } from "./world.ts";

/** A row of the table in docs/HOSTED.md. */
export interface Scenario {
  readonly title: string;
  /** Returns the cell of the table. Throws if a promise of Holdfast is broken. */
  play(world: VendorWorld): Promise<string>;
}

export const scenarios: readonly Scenario[] = [
  { title: "an allowed command runs once, a denied one never", play: permissions },
  { title: "the output of a command is recorded", play: output },
  { title: "five queued prompts: in order, one outcome each", play: queue },
  { title: "cancel, then the next prompt", play: cancel },
  { title: "steering", play: steer },
  {
    title: "agent killed in mid-turn",
    play: (world) => midTurn(world, { name: "a", kill: () => world.server.killAgent() }),
  },
  {
    title: "agent killed with a request open",
    play: (world) => midRequest(world, { name: "a", kill: () => world.server.killAgent() }),
  },
  {
    title: "Holdfast killed in mid-turn",
    play: (world) => midTurn(world, { name: "h", kill: () => restart(world) }),
  },
  {
    title: "Holdfast killed with a request open",
    play: (world) => midRequest(world, { name: "h", kill: () => restart(world) }),
  },
  { title: "config changed during a run", play: change },
];

const notAsked = "not asked";

async function permissions(world: VendorWorld): Promise<string> {
  const { session } = world;
  const cells: string[] = [];
  for (const verdict of ["allow", "deny"] as const) {
    const promptId = `permission-${verdict}`;
    const word = `w-${verdict}`;
    await session.prompt(`ask ${word}\nsay w-done`, { promptId });
    const ask = await world.ask(promptId);
    if (ask !== null) await session.answer(ask.askId, { verdict });
    const settled = await world.settled(promptId);
    const count = acted(world, word);
    if (ask === null) cells.push(count === 0 ? `${notAsked}, did not run` : `${notAsked}, ran`);
    else {
      assert.equal(count, verdict === "allow" ? 1 : 0, `${word}: ${describe(settled)}`);
      cells.push("yes");
    }
  }
  return [...new Set(cells)].join("; ");
}

async function output(world: VendorWorld): Promise<string> {
  const { session } = world;
  await session.prompt("ask w-output\nsay w-done", { promptId: "output" });
  const ask = await world.ask("output");
  if (ask !== null) await session.answer(ask.askId, { verdict: "allow" });
  const settled = await world.settled("output");
  assert.equal(acted(world, "w-output"), 1, describe(settled));
  for await (const event of session.events({ follow: false })) {
    if (event.type === "tool.ended" && event.content?.output.includes("w-output")) return "yes";
  }
  return "no";
}

async function queue(world: VendorWorld): Promise<string> {
  const { session } = world;
  const ids = [1, 2, 3, 4, 5].map((number) => `queue-${number}`);
  for (const promptId of ids) await session.prompt(`say w-${promptId}`, { promptId });
  for (const promptId of ids) {
    const end = await world.settled(promptId);
    assert.equal(end.status, "completed", describe(end));
    assert.match(end.text ?? "", new RegExp(`w-${promptId}\\b`), describe(end));
  }
  const ends = await settledEvents(session);
  assert.deepEqual(
    ends.filter((promptId) => ids.includes(promptId)),
    ids,
  );
  return "yes";
}

async function cancel(world: VendorWorld): Promise<string> {
  const { session } = world;
  await session.prompt("wait w-cancelled", { promptId: "cancelled" });
  await world.reached("w-cancelled");
  await session.cancel();
  const end = await world.settled("cancelled");
  assert.equal(end.status, "cancelled", describe(end));
  await session.prompt("say w-after", { promptId: "after-cancel" });
  const after = await world.settled("after-cancel");
  return after.status === "completed" ? "yes" : `the next prompt ${describe(after)}`;
}

async function steer(world: VendorWorld): Promise<string> {
  const { session } = world;
  await session.prompt("wait w-steer\nsay w-first", { promptId: "steer-1" });
  await world.reached("w-steer");
  await session.prompt("say w-second", { promptId: "steer-2", delivery: "steer" });
  const steered = await waitFor(async () => (await session.promptById("steer-2").get()).status, {
    describe: "the steered prompt in the active run",
    until: (status) => status !== "queued" || world.vendor.steers !== true,
    limit: patience,
  });
  world.release("w-steer");
  const ends = [await world.settled("steer-1"), await world.settled("steer-2")];
  for (const end of ends) assert.equal(end.status, "completed", describe(end));
  return steered === "queued" ? "waits" : "at once";
}

async function midTurn(
  world: VendorWorld,
  { name, kill }: { name: string; kill: () => Promise<void> },
): Promise<string> {
  const { session } = world;
  const promptId = `turn-${name}`;
  const word = `w-${promptId}`;
  await session.prompt(`ask ${word}\nwait ${word}-go\nsay w-end`, { promptId });
  const first = await world.ask(promptId);
  if (first !== null) await session.answer(first.askId, { verdict: "allow" });
  await world.reached(`${word}-go`);
  if (first !== null) await waitFor(() => acted(world, word) === 1, { describe: word });
  const before = acted(world, word);
  await world.loadable();
  await kill();
  world.release(`${word}-go`);
  // The scripted model repeats its command after an interruption, so the agent asks again.
  const again = await world.ask(promptId);
  if (first !== null) assert.equal(acted(world, word), before, `${word} ran without a new answer`);
  if (again !== null) await session.answer(again.askId, { verdict: "allow" });
  return outcomeCell(await world.settled(promptId));
}

async function midRequest(
  world: VendorWorld,
  { name, kill }: { name: string; kill: () => Promise<void> },
): Promise<string> {
  const { session } = world;
  const promptId = `request-${name}`;
  const word = `w-${promptId}`;
  await session.prompt(`ask ${word}\nsay w-end`, { promptId });
  const first = await world.ask(promptId);
  if (first === null) return notAsked;
  await world.loadable();
  await kill();
  await waitFor(() => session.asks({ open: true }), {
    describe: "the end of the request whose process has ended",
    until: ({ items }) => items.every(({ askId }) => askId !== first.askId),
  });
  const again = await world.ask(promptId);
  assert.equal(acted(world, word), 0, `${word} ran without an answer`);
  // The scripted model may ask more than once, because some agents join the interrupted prompt and the continuation.
  let allowed = 0;
  for (let ask = again; ask !== null; ask = await world.ask(promptId)) {
    await session.answer(ask.askId, { verdict: "allow" });
    allowed += 1;
  }
  const end = await world.settled(promptId);
  assert.ok(acted(world, word) <= allowed, `${word} ran without an answer`);
  const asked = again === null ? "does not ask again" : "asks again";
  return `nothing runs; ${asked}; ${outcomeCell(end)}`;
}

async function change(world: VendorWorld): Promise<string> {
  const { session, server, holdfast, directory } = world;
  await session.prompt("wait w-change\nsay w-end", { promptId: "change-1" });
  await world.reached("w-change");
  const [old] = await server.agents();
  assert.ok(old !== undefined);
  server.configure("2");
  const { actionId, status } = await holdfast.maintenance.refresh([directory]);
  assert.equal(status, "deferred", "the change waits for the run");
  assert.ok(isAlive(old.pid), "the run keeps its process");
  world.release("w-change");
  const first = await world.settled("change-1");
  assert.equal(first.status, "completed", describe(first));
  await holdfast.maintenance.ended(actionId);
  await session.prompt("say w-changed", { promptId: "change-2" });
  const second = await world.settled("change-2");
  assert.equal(second.status, "completed", describe(second));
  const configs = (await server.agents()).map(({ config }) => config);
  assert.deepEqual(configs, ["2"], "only the new process is left");
  return "next run";
}

async function restart({ server }: VendorWorld): Promise<void> {
  await server.kill();
  await server.start();
}

function acted(world: VendorWorld, word: string): number {
  return world.acts().filter((act) => act === word).length;
}

/** Ids of settled prompts, in the order of the log. */
export async function settledEvents(session: VendorWorld["session"]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const event of session.events({ follow: false })) {
    if (event.type === "prompt.settled") found.push(event.promptId);
  }
  return found;
}

function outcomeCell(end: Settled): string {
  if (end.status === "completed") return "continues";
  return end.reason === "interrupted" ? "fails as `interrupted`" : describe(end);
}

export function describe({ status, reason, text }: Settled): string {
  return `${status}${reason === null ? "" : ` (${reason})`}: ${(text ?? "").slice(0, 300)}`;
}
