import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { LaneEvent } from "../packages/holdfast/src/kernel/event.ts";
import { openHistory } from "../packages/holdfast/src/kernel/history.ts";
import { sessionStatus } from "../packages/holdfast/src/kernel/session-status.ts";
import type { LaneState } from "../packages/holdfast/src/kernel/state.ts";
import { readArguments } from "./read-arguments.ts";

const usage = `npm run replay -- FILE [--at SEQ]

Replays the log of an exported session and prints the status after each event. Create the file
with: holdfast export SESSION --output session.json

  --at SEQ    Print the whole state after the event with this number`;

const { values, positionals } = readArguments({
  usage,
  options: { at: { type: "string" } },
  words: true,
});
const [file] = positionals;
if (file === undefined) {
  console.error(
    "replay: name a file. Make one with: holdfast export SESSION --output session.json",
  );
  process.exitCode = 2;
} else {
  const text = readFileSync(file, "utf8");
  const document: { events: LaneEvent[]; state: LaneState } = JSON.parse(text);
  const history = openHistory();
  if (values.at === undefined) {
    for (const event of document.events) {
      history.add(event);
      console.log(lineOf(event, history.state()));
    }
    const problems = history.problems();
    if (!isDeepStrictEqual(history.state(), document.state)) {
      problems.push("the log leads to another state than the exported one");
    }
    for (const problem of problems) console.error(`replay: ${problem}`);
    if (problems.length === 0)
      console.log("No rule is broken, and the log leads to the exported state.");
    else process.exitCode = 1;
  } else {
    const last = Number(values.at);
    for (const event of document.events) if (event.seq <= last) history.add(event);
    console.log(JSON.stringify(history.state(), null, 2));
  }
}

function lineOf(event: LaneEvent, state: LaneState | null): string {
  const ids = Object.entries(event)
    .filter(([key, id]) => ["promptId", "runId", "callId", "askId"].includes(key) && id !== null)
    .map(([, id]) => String(id));
  const status = state === null ? "" : sessionStatus(state);
  const waiting = state === null ? 0 : state.queue.length;
  const columns = [String(event.seq).padStart(5), event.type.padEnd(18), status.padEnd(8)];
  return `${columns.join("  ")}  ${waiting} waiting  ${ids.join(" ")}`.trimEnd();
}
