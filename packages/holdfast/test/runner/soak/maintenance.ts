import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Agent } from "../../../src/agent/agent.ts";
import { createRandom } from "../../store/chaos/random.ts";
import { openPostgresPlace } from "../support/place.ts";
import type { Node } from "../support/place.ts";
import { openWatchedHost } from "./open-resources.ts";
import type { WatchedHost } from "./open-resources.ts";

export interface MaintenanceSoak {
  readonly problems: readonly string[];
  readonly actions: number;
  readonly prompts: number;
  readonly crashes: number;
}

const directories = ["/one", "/two"];
const sessions = 6;
/** Milliseconds after which the soak fails if something has not ended. */
const patience = 120_000;

/**
 * Runs three nodes on one database, with prompts, changed configs, refreshes, closes and forces in any order, and
 * kills nodes meanwhile. In the end, every action has ended once, every prompt is settled, and no resource was closed
 * twice or while a run used it.
 */
export async function soakMaintenance(options: {
  url: string;
  seed: number;
  steps: number;
}): Promise<MaintenanceSoak> {
  const random = createRandom(options.seed);
  const problems: string[] = [];
  const cleanups: (() => Promise<void>)[] = [];
  const ends = new Map<string, number>();
  const count = (what: string): void => void ends.set(what, (ends.get(what) ?? 0) + 1);
  const living: Node[] = [];
  const hosts: WatchedHost[] = [];
  let configNumber = 1;
  let crashes = 0;

  const newNode = (): { workspaces: WatchedHost["host"]; agent: Agent } => {
    const watched = openWatchedHost(() => configNumber);
    hosts.push(watched);
    return { workspaces: watched.host, agent: sleepyAgent(watched, problems) };
  };
  const watch = (node: Node): void => {
    living.push(node);
    node.holdfast.maintenance.onChange(({ actionId, endedAt }) => {
      if (endedAt !== null) count(`${actionId} is told of on ${node.name}`);
    });
  };
  const scope = { after: (clean: () => Promise<void>) => void cleanups.push(clean) };
  const settings = { leaseTtl: 500, maxRuns: 3, url: options.url, runtimes: 1, session: false };
  const place = await openPostgresPlace(scope, { ...settings, ...newNode() });
  watch(place.first);
  for (let opened = 1; opened < 3; opened += 1) watch(await place.open(newNode()));

  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[random.below(items.length)];
    assert(item !== undefined);
    return item;
  };
  const anyNode = (): Node => pick(living);
  for (let number = 0; number < sessions; number += 1) {
    const directory = directories[number % directories.length] ?? "";
    await place.first.holdfast.createSession({ sessionId: `session-${number}`, directory });
  }
  const prompts: { sessionId: string; promptId: string }[] = [];
  const actionIds: string[] = [];
  const requests: Promise<unknown>[] = [];

  const sendPrompt = async (step: number): Promise<void> => {
    const target = { sessionId: `session-${random.below(sessions)}`, promptId: `prompt-${step}` };
    await anyNode().holdfast.prompt({ ...target, text: "go" });
    prompts.push(target);
  };
  const request = (step: number): void => {
    const actionId = `action-${step}`;
    actionIds.push(actionId);
    const wish = {
      actionId,
      kind: random.below(10) < 6 ? ("refresh" as const) : ("close" as const),
      directories: random.below(2) === 0 ? null : [pick(directories)],
      mode: random.below(5) === 0 ? ("force" as const) : ("maintenance" as const),
      onEnded: () => count(`${actionId} is told to who asked for it`),
    };
    // A request to a node that dies may get no answer. If the node has stored the action, it still ends.
    requests.push(
      anyNode()
        .holdfast.maintenance.request(wish)
        .catch(() => null),
    );
  };
  const crash = async (): Promise<void> => {
    crashes += 1;
    const node = anyNode();
    living.splice(living.indexOf(node), 1);
    await node.crash();
    watch(await place.open(newNode()));
  };
  for (let step = 0; step < options.steps; step += 1) {
    const percent = random.below(100);
    if (percent < 45) await sendPrompt(step);
    else if (percent < 55) configNumber += 1;
    else if (percent < 78) request(step);
    else if (percent < 85 && actionIds.length > 0) {
      await anyNode().holdfast.maintenance.force({ actionId: pick(actionIds) });
    } else if (percent < 88) await crash();
    else await delay(random.below(60));
  }
  await Promise.all(requests);
  const { holdfast } = anyNode();
  for (const actionId of actionIds) {
    const action = await holdfast.maintenance.wait({
      actionId,
      signal: AbortSignal.timeout(patience),
    });
    if (action !== null && action.endedAt === null) problems.push(`M3: ${actionId} does not end`);
  }
  for (const prompt of prompts) {
    const row = await holdfast.wait({ ...prompt, signal: AbortSignal.timeout(patience) });
    if (row?.status !== "settled") problems.push(`P2: ${prompt.promptId} is not settled`);
  }
  for (const [what, times] of ends) if (times !== 1) problems.push(`M3: ${what} ${times} times`);
  // Errors that nodes reported while other nodes were killed are expected, so ignore them.
  for (const node of living) node.errors.length = 0;
  for (const clean of cleanups) await clean();
  for (const { host } of hosts) await host.close();
  problems.push(...hosts.flatMap((watched) => watched.problems()));
  return { problems, actions: actionIds.length, prompts: prompts.length, crashes };
}

/** An agent that takes a moment for each run, and checks that its resources were not closed meanwhile. */
function sleepyAgent(watched: WatchedHost, problems: string[]): Agent {
  return {
    name: "sleepy",
    async *run(context) {
      const { directory, workspace, runId, signal } = context;
      await context.boundary();
      await delay(5 + Math.random() * 150, null, { signal }).catch(() => {});
      if (signal.aborted) return;
      if (!watched.isOpen(`${directory} ${workspace.generation}`)) {
        problems.push(`M1: what run ${runId} works with was torn down under it`);
      }
      yield { type: "answer", text: "done" };
    },
  };
}
