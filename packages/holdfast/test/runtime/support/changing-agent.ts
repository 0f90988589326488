import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Agent, AgentContext, Fact } from "../../../src/agent/agent.ts";
import { hashOf } from "../../../src/agent/tools/files.ts";
import { createRuntime } from "../../../src/runtime/runtime.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { planRevert } from "../../../src/runtime/revert/revert.ts";
import type { RevertPlan } from "../../../src/runtime/revert/revert.ts";
import type { Store } from "../../../src/store/store.ts";

/** One action of a run in these tests. */
type Act =
  | { change: string; to: string | Uint8Array; fails?: true }
  | { read: string }
  /** Changes files while the run is active, as another program would change them. */
  | { meanwhile: () => void }
  | { run: string; does?: () => void }
  /** Several changes in one call. */
  | { changes: readonly { change: string; to: string }[] }
  | { child: readonly Act[] };

export interface World {
  readonly holdfast: Runtime;
  readonly folder: string;
  readonly path: (name: string) => string;
  /** Starts a run that performs these actions in order, and returns the id of the run. */
  run(acts: readonly Act[]): Promise<string>;
  plan(runId: string): Promise<RevertPlan>;
  content(name: string): string | null;
}

export async function openWorld(t: TestContext, store?: Store): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-revert-")));
  const path = (name: string): string => join(folder, name);
  const jobs = new Map<string, readonly Act[]>();
  let count = 0;
  const post = (acts: readonly Act[]): string => {
    count += 1;
    jobs.set(`job ${count}`, acts);
    return `job ${count}`;
  };
  const agent: Agent = {
    name: "changer",
    run: (context) =>
      perform(context, { acts: jobs.get(context.prompts[0]?.text ?? "") ?? [], path, post }),
  };
  const holdfast: Runtime = await createRuntime({
    agent,
    store: store ?? path("store.db"),
    pollEvery: 20,
    titles: false,
  });
  await holdfast.createSession({ sessionId: "main", directory: folder });
  t.after(async () => {
    await holdfast.close();
    rmSync(folder, { recursive: true });
  });
  return {
    holdfast,
    folder,
    path,
    run: async (acts) => {
      const { promptId } = await holdfast.prompt({ sessionId: "main", text: post(acts) });
      const row = await holdfast.wait({ sessionId: "main", promptId });
      assert.ok(row?.outcome);
      assert.equal(row.outcome.status, "completed", (await holdfast.resultText(row)) ?? "");
      return row.outcome.runId ?? "";
    },
    plan: (runId) => planRevert(holdfast.store, { sessionId: "main", runId }),
    content: (name) => {
      try {
        return readFileSync(path(name), "utf8");
      } catch {
        return null;
      }
    },
  };
}

async function* perform(
  context: AgentContext,
  job: {
    acts: readonly Act[];
    path: (name: string) => string;
    post: (acts: readonly Act[]) => string;
  },
): AsyncGenerator<Fact> {
  const { path } = job;
  for (const [index, act] of job.acts.entries()) {
    if ("meanwhile" in act) {
      act.meanwhile();
      continue;
    }
    const callId = `${context.runId}-${index}`;
    await context.boundary();
    yield {
      type: "answer",
      text: "",
      calls: [{ callId, name: "act", input: null, repeatable: false }],
    };
    if ("read" in act) {
      yield { type: "toolStart", callId };
      const hash = hashOf(readFileSync(path(act.read)));
      const extra = { seen: [{ path: path(act.read), hash }] };
      yield { type: "toolEnd", callId, status: "completed", output: "", extra };
    } else if ("change" in act) {
      const target = path(act.change);
      yield {
        type: "toolStart",
        callId,
        intent: { summary: "change it", files: [{ path: target, before: old(target) }] },
      };
      if (act.fails === true) yield { type: "toolEnd", callId, status: "failed", output: "no" };
      else {
        writeFileSync(target, act.to);
        const extra = { seen: [{ path: target, hash: hashOf(Buffer.from(act.to)) }] };
        yield { type: "toolEnd", callId, status: "completed", output: "", extra };
      }
    } else if ("changes" in act) {
      const files = act.changes.map(({ change }) => ({ path: path(change), before: null }));
      yield { type: "toolStart", callId, intent: { summary: "change all", files } };
      const seen = act.changes.map(({ change, to }) => {
        writeFileSync(path(change), to);
        return { path: path(change), hash: hashOf(Buffer.from(to)) };
      });
      yield { type: "toolEnd", callId, status: "completed", output: "", extra: { seen } };
    } else if ("run" in act) {
      yield { type: "toolStart", callId, intent: { summary: `run ${act.run}`, files: [] } };
      act.does?.();
      yield { type: "toolEnd", callId, status: "completed", output: "" };
    } else {
      yield { type: "toolStart", callId };
      const sessionId = `child-${callId}`;
      await context.child({ sessionId, promptId: "p", text: job.post(act.child), callId });
      yield { type: "toolEnd", callId, status: "completed", output: "" };
    }
  }
}

function old(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
