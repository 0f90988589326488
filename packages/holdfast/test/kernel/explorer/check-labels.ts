import type { Committed } from "./check-cancel.ts";
import type { Fail } from "./check-event.ts";

/**
 * Checks labels: a person's title stays, a program sets only a missing title, a prompt unarchives the session, and
 * the mode stays.
 */
export function checkLabels(committed: Committed, fail: Fail): void {
  const { before, after, command, events } = committed;
  let { title, archived, mode } = before;
  if (command.type === "session.rename" && (title === null || !command.auto)) ({ title } = command);
  if (command.type === "session.archive") ({ archived } = command);
  if (command.type === "session.setMode") ({ mode } = command);
  if (events.some((event) => event.type === "prompt.accepted")) archived = false;
  if (after.title !== title) fail("a session has another title than it was given");
  if (after.mode !== mode) fail("a session has another mode than it was given");
  if (after.archived !== archived) fail("a session is archived, or not, though nobody wants it");
}
