import assert from "node:assert/strict";
import { test } from "node:test";
import type { MaintenanceAction } from "../../src/kernel/maintenance.ts";
import { call, repeatable } from "./support/puppets.ts";
import type { Puppet } from "./support/puppets.ts";
import {
  answered,
  config,
  follow,
  generationOf,
  openChangedPlace,
  openWorkspacePlace,
  project,
} from "./support/workspace-place.ts";
import type { WorkspacePlace } from "./support/workspace-place.ts";

// A refresh or close is requested while a run is active. The run ends as it would without the request, and the action
// ends once, after the resources of the run are closed.

const sessionId = "main";

/**
 * States of a run when the action is requested. Each function brings the run into its state, and returns a function
 * that lets the run continue.
 */
const situations: Record<
  string,
  (place: WorkspacePlace, run: Puppet) => Promise<() => Promise<void>>
> = {
  "before its first step": async () => async () => {},
  "waiting for the model, or to try it again": async (_place, run) => {
    await run.boundary();
    return async () => run.answer("late");
  },
  "in a tool": async (_place, run) => {
    await run.boundary();
    await run.answer("working", [call("one"), repeatable("two")]);
    await run.startTool("one");
    return async () => {
      await run.endTool("one");
      await run.endTool("two");
    };
  },
  "waiting for an ask": async (place, run) => {
    await run.boundary();
    await run.answer("may I?", [call("one")]);
    const asked = run.context.ask({ askId: "ask1", callId: "one", question: "write?" });
    await place.event((event) => event.type === "ask.opened");
    return async () => {
      await place.first.holdfast.answer({ sessionId, askId: "ask1", verdict: "allow" });
      assert.equal((await asked).verdict, "allow");
      await run.startTool("one");
      await run.endTool("one");
    };
  },
};

for (const [situation, arrange] of Object.entries(situations)) {
  for (const kind of ["refresh", "close"] as const) {
    for (const directories of [[project], null]) {
      const scope = directories === null ? "all directories" : "its directory";
      test(`M1 M2 M3 a ${kind} of ${scope} during a run ${situation}`, async (t) => {
        const place = await openWorkspacePlace(t);
        const { world, maintenance } = place;
        const { told } = follow(maintenance);
        const ended: MaintenanceAction[] = [];
        const run = await place.openRun("a");
        const goOn = await arrange(place, run);
        world.configure(project, config(2));

        const onEnded = (action: MaintenanceAction): void => void ended.push(action);
        const wish = { actionId: "act", kind, directories, onEnded };
        assert.deepEqual(await maintenance.request(wish), answered("act", [run]));
        assert.deepEqual([run.context.signal.aborted, ended], [false, []]);

        world.log();
        await goOn();
        await run.finish();
        assert.equal(await place.outcome("a"), "completed");
        const action = await maintenance.wait({ actionId: "act" });
        assert.deepEqual(ended, [action]);
        assert.deepEqual(world.log(), ["close mcp:x1 1"]);
        assert.deepEqual(told, ["act requested", "act deferred for 1", "act completed"]);

        const next = await place.openRun("b");
        assert.deepEqual([generationOf(run), generationOf(next)], ["1", "2"]);
        await next.finish();
        assert.equal(await place.outcome("b"), "completed");
        assert.equal(ended.length, 1);
      });
    }
  }
}

test("M1 M7 a refresh while a run waits for its child: both complete, and the old config is released after the last", async (t) => {
  const place = await openWorkspacePlace(t);
  const { world, maintenance } = place;
  const run = await place.openStep("a");
  await run.answer("help");
  const helped = run.context.child({ sessionId: "child", promptId: "job", text: "help" });
  const child = await place.puppets.next("child");
  world.configure(project, config(2));
  const answer = await maintenance.request({
    actionId: "act",
    kind: "refresh",
    directories: null,
  });
  assert.deepEqual(answer, answered("act", [run, child]));

  // A child that is sent after the refresh inherits the config version of its parent.
  const second = run.context.child({ sessionId: "other", promptId: "job", text: "help" });
  const late = await place.puppets.next("other");
  assert.deepEqual([run, child, late].map(generationOf), ["1", "1", "1"]);
  await late.finish();
  await child.finish("found it");
  assert.equal((await helped).text, "found it");
  await second;
  assert.equal((await maintenance.get("act"))?.status, "deferred");
  await run.finish();
  assert.equal((await maintenance.wait({ actionId: "act" }))?.status, "completed");
  assert.equal(generationOf(await place.openRun("b")), "2");
});

test("M7 a run requests a refresh of its own directory, and the next run uses it", async (t) => {
  const place = await openWorkspacePlace(t);
  const { world, maintenance } = place;
  const run = await place.openStep("a");
  await run.answer("I change the config", [call("one")]);
  await run.startTool("one");
  world.configure(project, config(2));
  const actor = { kind: "run", id: run.context.runId } as const;
  const wish = { actionId: "act", kind: "refresh", directories: [project], actor } as const;
  assert.deepEqual(await maintenance.request(wish), answered("act", [run]));
  await run.endTool("one");
  await place.prompt("b");
  await run.finish();
  const next = await place.puppets.next();
  assert.equal(generationOf(next), "2");
  const action = await maintenance.wait({ actionId: "act" });
  assert.deepEqual([action?.status, action?.actor], ["completed", actor]);
});

test("M4 five refreshes during one run: one load, five answers, five ends", async (t) => {
  const { world, maintenance, run } = await openChangedPlace(t);
  const { told } = follow(maintenance);
  world.log();
  const ids = ["1", "2", "3", "4", "5"];
  const wish = { kind: "refresh", directories: [project] } as const;
  const answers = await Promise.all(
    ids.map((actionId) => maintenance.request({ ...wish, actionId })),
  );
  assert.deepEqual(
    answers,
    ids.map((actionId) => answered(actionId, [run])),
  );
  assert.deepEqual(
    world.log().filter((line) => !line.startsWith("read")),
    ["open mcp:x2 1", `build ${project} 2 [mcp:x2]`],
  );
  await run.finish();
  const actions = await Promise.all(ids.map((actionId) => maintenance.wait({ actionId })));
  assert.deepEqual(
    actions.map((action) => action?.status),
    ids.map(() => "completed"),
  );
  assert.deepEqual(
    told.filter((line) => line.endsWith("completed")).toSorted(),
    ids.map((id) => `${id} completed`),
  );
  assert.deepEqual(world.log(), ["close mcp:x1 1"]);
});

test("M6 a config that does not load fails the action with the reason and without keys; runs continue", async (t) => {
  const place = await openWorkspacePlace(t, { redact });
  const { world, maintenance } = place;
  const { told } = follow(maintenance);
  const run = await place.openStep("a");
  world.configure(project, { digest: "2", broken: "sk-secret is not known" });
  const answer = await maintenance.request({
    actionId: "act",
    kind: "refresh",
    directories: null,
  });
  const message = "holdfast.jsonc:3:1: mcp.x: … is not known";
  const problems = [{ directory: project, message }];
  assert.deepEqual(answer, answered("act", [], { status: "failed", problems }));
  assert.deepEqual(told, ["act requested", "act failed"]);
  await run.finish();
  assert.equal(await place.outcome("a"), "completed");
  assert.equal(generationOf(await place.openRun("b")), "1");
});

test("M3 an error during teardown is reported with the action, which completes", async (t) => {
  const place = await openChangedPlace(t);
  const { world, maintenance, run } = place;
  world.behave("mcp:x1", { close: () => Promise.reject(new Error("it does not let go")) });
  await maintenance.request({ actionId: "act", kind: "refresh", directories: null });
  await run.finish();
  const action = await maintenance.wait({ actionId: "act" });
  assert.equal(action?.status, "completed");
  const [part] = action.parts;
  assert.ok(part?.status === "done");
  assert.deepEqual(
    part.problems.map(({ directory }) => directory),
    [project],
  );
  assert.match(part.problems[0]?.message ?? "", /it does not let go/);
});

function redact(text: string): string {
  return text.replaceAll("sk-secret", "…");
}
