import { activeRun } from "../../../src/kernel/state.ts";
import type { Committed } from "./check-cancel.ts";
import type { Fail } from "./check-event.ts";

/**
 * Checks labels: a person's title stays, a program sets only a missing title, a prompt unarchives the session, and
 * mode and agent stay. A run keeps the agent that its session had when it started.
 */
export function checkLabels(committed: Committed, fail: Fail): void {
  const { before, after, command, events } = committed;
  let { title, archived, mode, agent } = before;
  if (command.type === "session.rename" && (title === null || !command.auto)) ({ title } = command);
  if (command.type === "session.archive") ({ archived } = command);
  if (command.type === "session.setMode") ({ mode } = command);
  if (command.type === "session.setAgent") ({ agent } = command);
  if (events.some((event) => event.type === "prompt.accepted")) archived = false;
  if (after.title !== title) fail("a session has another title than it was given");
  if (after.mode !== mode) fail("a session has another mode than it was given");
  if (after.agent !== agent) fail("a session has another agent than it was given");
  const [run, earlier] = [activeRun(after), activeRun(before)];
  const usual = run?.runId === earlier?.runId ? earlier?.agent : before.agent;
  if (run !== null && run.agent !== usual) fail("a run has another agent than at its start");
  if (after.archived !== archived) fail("a session is archived, or not, though nobody wants it");
}
