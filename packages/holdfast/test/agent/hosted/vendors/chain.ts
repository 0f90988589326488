import assert from "node:assert/strict";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { waitFor } from "../../../support/wait-for.ts";
import { answerIfOpen } from "./kills.ts";
import { openVendorProject, patience } from "./world.ts";
import type { Installing, Vendor } from "./vendor.ts";

/**
 * Lets Holdfast's own agent give a task to the first agent, that one to the second, and so on. Checks that all sessions
 * are in one tree, and that one cancel ends them all. Throws if a promise is broken.
 */
export async function passTask(
  chain: readonly Vendor[],
  { install }: { readonly install: Installing },
): Promise<string> {
  const [first, ...others] = chain;
  assert.ok(first !== undefined, "name at least one agent");
  const project = await openVendorProject(first, install, others);
  try {
    const { url, token } = await project.serve("node");
    const holdfast = connect({ url, token });
    const session = await holdfast.sessions.create({ directory: project.directory });
    const names = chain.map(({ name }) => name).join(" ");
    const passed = await session.prompt(`pass w-passed say ${names}\nsay w-end`, {
      agent: "default",
    });
    await allowUntil(holdfast, async () => (await passed.get()).status === "settled");
    const { status, text } = await passed.settled();
    assert.equal(status, "completed", text ?? "");
    assert.deepEqual(await depths(holdfast), [0, ...chain.map((_, index) => index + 1)]);
    const held = await session.prompt(`pass w-held wait ${names}\nsay w-end`, { agent: "default" });
    await allowUntil(holdfast, async () => project.isReached("w-held"));
    await session.cancel();
    assert.equal((await held.settled()).status, "cancelled");
    const outcomes = await outcomesIn(holdfast);
    assert.equal(outcomes.filter((outcome) => outcome === "cancelled").length, chain.length + 1);
    assert.equal(outcomes.filter((outcome) => outcome === "completed").length, chain.length + 1);
    return `${chain.length + 1} sessions in one tree; one cancel ends ${chain.length + 1} runs`;
  } finally {
    await project.close();
  }
}

/** Allows every request of every session until the condition holds. */
async function allowUntil(holdfast: Holdfast, condition: () => Promise<boolean>): Promise<void> {
  await waitFor(
    async () => {
      const { items } = await holdfast.asks({ limit: 100 });
      for (const ask of items) await answerIfOpen(holdfast.session(ask.sessionId), ask, "allow");
      return condition();
    },
    { describe: "the end of the tasks", limit: patience },
  );
}

/** Returns the depth of each session in its tree, sorted. */
async function depths(holdfast: Holdfast): Promise<readonly number[]> {
  const { items } = await holdfast.sessions.list({ limit: 100 });
  const parents = new Map(items.map(({ sessionId, parent }) => [sessionId, parent?.sessionId]));
  const depthOf = (sessionId: string): number => {
    const parent = parents.get(sessionId);
    return parent === undefined ? 0 : depthOf(parent) + 1;
  };
  return items.map(({ sessionId }) => depthOf(sessionId)).toSorted((one, two) => one - two);
}

async function outcomesIn(holdfast: Holdfast): Promise<readonly (string | undefined)[]> {
  const { items } = await holdfast.sessions.list({ limit: 100 });
  const lists = await Promise.all(
    items.map(({ sessionId }) => holdfast.session(sessionId).prompts()),
  );
  return lists.flatMap((list) => list.items.map(({ outcome }) => outcome?.status));
}
