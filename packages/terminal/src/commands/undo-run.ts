import type { RevertPlan, SessionHandle, Work } from "@holdfast/sdk";
import type { Client } from "../client.ts";
import { indent, oneLine, wrap } from "../screen/text.ts";
import { diffRows, plural } from "../transcript/call-card.ts";
import { promptText } from "../transcript/prompt-rows.ts";
import { ago } from "../transcript/time-text.ts";

/** /undo: lets the user choose a prompt and undoes the file changes of its run. */
export async function undoRun(client: Client): Promise<void> {
  const { view } = client;
  const runs = [...(view?.conversation.runs.values() ?? [])]
    .filter(({ hasCalls, endedAt }) => hasCalls && endedAt !== null)
    .toReversed();
  if (view === null || runs.length === 0) return client.say("No run has changed files");
  client.pick<string>({
    title: "Undo the file changes of:",
    empty: "No run has changed files",
    items: runs.map(({ runId, promptIds, startedAt }) => {
      const prompt = view.conversation.prompts.get(promptIds[0] ?? "");
      return {
        value: runId,
        label: prompt === undefined ? runId : promptText(prompt),
        detail: ago(client.clock.now() - startedAt),
      };
    }),
    onChoose: (runId) => void confirmUndo(client, runId),
  });
}

/** Prints the changes that an undo would take back, and asks for a confirmation. */
async function confirmUndo(client: Client, runId: string): Promise<void> {
  await client.act(async ({ handle }) => {
    const plan = await handle.planRevert(runId);
    client.screen.print(planRows(plan, client));
    const { files } = plan;
    if (files.length === 0) {
      return client.remark(
        "Nothing to undo: the run recorded no file changes, or the files already have their earlier content",
      );
    }
    const free = files.filter(({ conflict }) => conflict === null);
    const conflicts = files.length - free.length;
    const undo = (input: { overwrite?: true; files?: readonly string[] }): void =>
      void client.act(() => revert(client, { handle, runId, input }));
    client.pick<Parameters<typeof undo>[0]>({
      title: `Undo ${files.length} ${plural(files.length, "file")}?`,
      empty: "",
      items: undoChoices({ free: free.map(({ path }) => path), conflicts }),
      onChoose: undo,
    });
  });
}

function undoChoices({ free, conflicts }: { free: readonly string[]; conflicts: number }) {
  if (conflicts === 0) return [{ value: {}, label: "Undo", detail: "" }];
  const count = `${free.length} ${plural(free.length, "file")}`;
  const some = { value: { files: free }, label: `Undo the ${count} without conflicts`, detail: "" };
  const all = { overwrite: true as const };
  const detail = `${conflicts} ${plural(conflicts, "file")} with other changes too`;
  return [
    ...(free.length === 0 ? [] : [some]),
    { value: all, label: "Undo all, overwrite later changes", detail },
  ];
}

/** Returns the diffs of the files, their conflicts, and the actions that are not undone. */
function planRows({ files, unknown, background }: RevertPlan, client: Client): string[] {
  const { look, screen } = client;
  const columns = screen.columns - 2;
  const rows = files.flatMap(({ path, removes, conflict, diff }) => [
    "",
    `${look.accent("■")} ${look.bold(oneLine(shown(path, client)))}${removes ? " (will be deleted)" : ""}`,
    ...(conflict === null ? [] : wrap(`  ! ${oneLine(conflict)}`, columns).map(look.warn)),
    ...indent(diffRows(diff, { look, columns, isWhole: true }), "  "),
  ]);
  const left = [
    ...unknown.map((summary) => oneLine(summary)),
    ...background.map((sessionId) => `changes of the background task in session ${sessionId}`),
  ];
  if (left.length === 0) return rows;
  const note =
    "Not undone. Holdfast does not know which files an action changed, and a background task is undone in its own session:";
  return [
    ...rows,
    "",
    ...wrap(note, columns).map((row) => look.warn(`  ${row}`)),
    ...left.flatMap((text) => wrap(text, columns - 2).map((row) => `    ${row}`)),
  ];
}

async function revert(
  client: Client,
  request: {
    handle: SessionHandle;
    runId: string;
    input: { overwrite?: true; files?: readonly string[] };
  },
): Promise<void> {
  const { handle, runId, input } = request;
  client.say("Undoing…");
  const work = await handle.revert(runId, input);
  client.hint = null;
  const { done, problem } = reportOf(work);
  if (done.length > 0) client.remark(`Undone: ${done.join(", ")}`);
  if (problem !== null) client.remark(`Not undone: ${problem}`, "bad");
}

/** Reads the result of an undo. `problem`: why all files, or some of them, are unchanged. */
function reportOf({ result }: Pick<Work, "result">): {
  done: readonly string[];
  problem: string | null;
} {
  if (result === null) return { done: [], problem: "the undo was stopped before it was complete" };
  if (result.status === "failed") return { done: [], problem: result.message };
  const { done, problem, left } = fieldsOf(result.value);
  const names = Array.isArray(done) ? done.map(String) : [];
  const { path, message } = fieldsOf(problem);
  if (typeof path !== "string") return { done: names, problem: null };
  const rest = Array.isArray(left) && left.length > 1 ? `; ${left.length} files are unchanged` : "";
  return { done: names, problem: `${path}: ${String(message)}${rest}` };
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Returns a path relative to the directory of the client, if it is inside. */
function shown(path: string, { directory }: Client): string {
  const inside = `${directory}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}
