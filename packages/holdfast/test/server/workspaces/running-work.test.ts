import assert from "node:assert/strict";
import { test } from "node:test";
import type { MaintenanceItem, SessionHandle } from "@holdfast/sdk";
import {
  generations,
  isAlive,
  listen,
  openWorkspaceServer,
  until,
  withoutId,
} from "./workspace-server.ts";

/** States in which a run can be during a change, and the event that shows it. */
const states = {
  think: (session: SessionHandle) => until(session, "step.opened"),
  use: (session: SessionHandle) => until(session, "tool.started"),
  ask: (session: SessionHandle) => until(session, "ask.opened"),
  retry: (session: SessionHandle) => until(session, "step.opened"),
  task: (session: SessionHandle) => until(session, "child.linked"),
} as const;

test("M1 M2 M3 refreshes, provider changes and closes do not affect active runs in any state", async (t) => {
  const fixture = await openWorkspaceServer(t);
  const { holdfast } = fixture;
  const items = await listen(t, holdfast);
  const verbs = ["think", "use", "ask", "retry", "task"] as const;
  const work = await Promise.all(
    verbs.map(async (verb) => {
      const directory = fixture.folder(`in-${verb}`);
      if (verb === "use") await fixture.trust(directory, { mcp: { notes: fixture.notes() } });
      const session = await fixture.session(verb, directory);
      const prompt = await session.prompt(`${verb} go`);
      await states[verb](session);
      const runId = (await session.get()).runId ?? "";
      return { verb, directory, session, prompt, run: { directory, sessionId: verb, runId } };
    }),
  );
  // A child uses the generation of its parent: both its run and the waiting parent run are listed.
  const children = (await holdfast.session("task").children()).items;
  const [child] = children;
  assert.ok(child !== undefined);
  const childRun = { directory: child.directory, sessionId: child.sessionId, runId: "" };
  const childSession = holdfast.session(child.sessionId);
  await until(childSession, "run.started");
  childRun.runId = (await childSession.get()).runId ?? "";
  const runs = [...work.map(({ run }) => run), childRun].toSorted(bySession);
  const before = new Set(fixture.pids());

  const one = work[0];
  assert.ok(one !== undefined);
  const saved = await holdfast.config.save({
    directory: one.directory,
    text: '{ "agents": { "other": { "prompt": "Be the other." } } }',
    digest: null,
  });
  const connected = await holdfast.providers.connect("second", {
    key: "sk-second-0011223344556677",
    baseUrl: fixture.model.addresses.openaiChat,
    protocol: "compatible",
  });
  const closed = await holdfast.maintenance.close([one.directory]);
  const closedAll = await holdfast.maintenance.close(null);
  const directories = work.map(({ directory }) => directory).toSorted();
  const answers = [saved, connected, closed, closedAll];
  const isAsked = ({ action }: MaintenanceItem): boolean =>
    answers.some(({ actionId }) => actionId === action.actionId);
  assert.deepEqual(
    answers.map((answer) => ({
      ...withoutId(answer),
      waitingFor: answer.waitingFor.toSorted(bySession),
    })),
    [
      { ...deferred, affectedDirectories: [one.directory], waitingFor: [one.run] },
      { ...deferred, affectedDirectories: directories, waitingFor: runs },
      { ...deferred, affectedDirectories: [one.directory], waitingFor: [one.run] },
      { ...deferred, affectedDirectories: directories, waitingFor: runs },
    ],
  );
  assert.deepEqual(
    items.filter((item) => item.told === "maintenance.completed" && isAsked(item)),
    [],
  );

  fixture.open("go");
  const [ask] = (await holdfast.session("ask").asks({ open: true })).items;
  await holdfast.session("ask").answer(ask?.askId ?? "", { verdict: "allow" });
  const outcomes = await Promise.all(work.map(({ prompt }) => prompt.settled()));
  assert.deepEqual(
    outcomes.map(({ status, text }) => [status, text]),
    verbs.map((verb) => ["completed", `${verb} done`]),
  );
  const ended = await Promise.all(
    answers.map(({ actionId }) => holdfast.maintenance.ended(actionId)),
  );
  assert.deepEqual(
    ended.map(({ status, problems, waitingFor }) => ({ status, problems, waitingFor })),
    answers.map(() => ({ status: "completed", problems: [], waitingFor: [] })),
  );
  // The old processes are gone before the action is reported as ended.
  assert.deepEqual([...before].filter(isAlive), []);

  // The next run opens the directory again, with the changes.
  const next = await one.session.prompt("hello");
  assert.equal((await next.settled()).text, "hello done");
  const [first, second] = await generations(one.session);
  assert.notEqual(first, second);
  const workspace = await holdfast.workspaces.get(one.directory);
  assert.equal(workspace.generation?.generationId, second);
  assert.ok(workspace.agents.some(({ name }) => name === "other"));
  const counts = answers.map(
    ({ actionId }) =>
      items.filter(
        (item) => item.action.actionId === actionId && item.told === "maintenance.completed",
      ).length,
  );
  assert.deepEqual(counts, [1, 1, 1, 1]);
});

const deferred = { status: "deferred", problems: [] };

function bySession(left: { sessionId: string }, right: { sessionId: string }): number {
  return left.sessionId < right.sessionId ? -1 : 1;
}
