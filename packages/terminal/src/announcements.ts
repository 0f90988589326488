import type { Client } from "./client.ts";
import { askerOf } from "./panels/agents-panel.ts";
import { queueRows } from "./panels/queue-panel.ts";
import { todoRows } from "./panels/todo-panel.ts";
import { modeNames } from "./session/mode.ts";
import type { Announcements, InputLine } from "./screen/plain-screen.ts";
import { spoken } from "./screen/plain-screen.ts";
import { oneLine } from "./screen/text.ts";
import { callHead } from "./transcript/call-card.ts";

/** Describes the state of the client in sentences, for the screen-reader mode. */
export function announcements(client: Client): Announcements {
  return new Map([
    ["connection", connections[client.connection]],
    ["model", modelText(client)],
    ["mode", client.view === null ? "" : `Mode: ${modeNames[client.mode.current]}`],
    ["work", workText(client)],
    // Each end of a run has a topic of its own: the run may be so short that no paint shows it as active.
    [`ready ${client.view?.lastEnd ?? 0}`, readyText(client)],
    ...callTexts(client),
    [
      "shell",
      client.shell === null ? "" : `Running: ${oneLine(client.shell.command)}. Escape stops it.`,
    ],
    ["todo", todoText(client)],
    ["queue", queueText(client)],
    ["agents", agentsText(client)],
    ["ask", askText(client)],
    ["ask keys", askKeys(client)],
    ["hint", client.hint ?? ""],
    ["label", client.editor.label],
    ["list", listText(client)],
    ["completion", completionText(client)],
  ]);
}

/** Returns the line of the draft that contains the cursor. Empty while a list or an ask has the focus. */
export function inputLine({ editor, overlay, asking, queueSelection }: Client): InputLine {
  if (overlay !== null || asking.hasKeys || queueSelection !== null) {
    return { text: "", at: 0, line: 0 };
  }
  const { line, col } = editor.getCursor();
  return { text: editor.getLines()[line] ?? "", at: col, line };
}

const connections = {
  connecting: "Connecting to the server.",
  connected: "Connected.",
  // Empty, because the client already prints a remark when the connection is lost.
  away: "",
  stopped: "",
} as const;

function modelText({ model, workspace, connection }: Client): string {
  const name = model ?? workspace?.model ?? null;
  if (name !== null) return `Model: ${oneLine(name)}`;
  if (connection !== "connected" || workspace === null) return "";
  return workspace.demo ? "No model: demo agent" : "No model. Run: holdfast connect";
}

function workText(client: Client): string {
  const { view } = client;
  const active = view?.detail?.active ?? null;
  if (view === null || active === null || !view.isLive) return "";
  if (active.kind === "work") return `Working: ${oneLine(active.name)}`;
  if (active.status !== "running") return "Stopping.";
  return client.asks.length > 0 ? "The agent needs you." : "Working. Escape stops the run.";
}

/** Returns an empty text while a run is active, and until the state of the session is newer than the last run's end. */
function readyText({ view }: Client): string {
  if (view === null || view.detail === null || !view.isLive) return "";
  const { active, seq } = view.detail;
  return active === null && seq >= view.lastEnd ? "Ready for a prompt." : "";
}

/** Returns one text for each tool call that is in progress. */
function callTexts({ transcript, look }: Client): [string, string][] {
  const { step, printedCalls = 0 } = transcript.openStep ?? {};
  const running = (step?.calls ?? [])
    .slice(printedCalls)
    .filter(({ status }) => status === "running");
  return running.map((call) => [`call ${call.callId}`, `Running: ${callHead(call, look)}`]);
}

function todoText({ view, look, isBusy }: Client): string {
  if (view === null || !view.isLive || !isBusy) return "";
  return todoRows(view.conversation, { look, columns: rowColumns }).join("\n");
}

function queueText({ view, look, queueSelection: selected }: Client): string {
  if (view === null || !view.isLive) return "";
  const { detail, conversation } = view;
  const rows = queueRows({
    detail,
    conversation,
    outgoing: [],
    selected,
    look,
    columns: rowColumns,
  });
  if (selected === null) return rows.map(closeUp).join("\n");
  const at = rows.findIndex((row) => spoken(row).startsWith("You:"));
  return [rows[0] ?? "", rows[at] ?? ""].map(closeUp).join("\n").replace("You:", "Selected:");
}

function agentsText({ family }: Client): string {
  const members = family?.members ?? [];
  return members
    .map(({ detail }) => {
      const state = detail.status === "asking" ? "needs you" : detail.status;
      return `Sub-agent ${oneLine(detail.title ?? detail.sessionId)}: ${state}`;
    })
    .join("\n");
}

function askText(client: Client): string {
  return askRows(client).slice(0, -1).join("\n");
}

function askKeys(client: Client): string {
  return askRows(client).at(-1)?.trim() ?? "";
}

/** Number of rows of an ask that are spoken at once. The rest follows when the user asks for it. */
const spokenRows = 60;

function askRows(client: Client): readonly string[] {
  const { asking, look } = client;
  const { dialog, hasKeys } = asking;
  if (dialog === null) return [];
  const from = askerOf(client, dialog.ask);
  const more = client.asks.length - 1;
  const { rows, hasRoom } = dialog.rows({
    look,
    columns: rowColumns,
    height: spokenRows,
    isFocused: hasKeys,
    more,
    from,
  });
  asking.noteRoom(hasRoom);
  return rows;
}

/** Returns the selected item of an open list as text. */
function listText({ overlay, look, screen }: Client): string {
  if (overlay?.kind !== "picker") return "";
  const { rows } = overlay.picker.rows({ look, columns: rowColumns, height: screen.rows });
  const [, head = "", ...rest] = rows.map(spoken);
  const selected = rest.find((row) => row.startsWith("You: ")) ?? rest[0] ?? "";
  const keys = rest.at(-1) ?? "";
  return `${head.replace(/▏$/, "").trim()} ${closeUp(selected).replace("You: ", "")}. ${keys}`;
}

function completionText({ editor, screen }: Client): string {
  if (!editor.isShowingAutocomplete()) return "";
  const rows = editor.renderRows(screen.columns).rows.map(spoken);
  const selected = rows.find((row) => row.trimStart().startsWith("→"));
  return selected === undefined
    ? ""
    : `Completion: ${closeUp(selected.replace("→", ""))}. Tab inserts`;
}

/** Width for rendering rows with a text at the right edge, so that nothing is cut. */
const rowColumns = 200;

/** Replaces the gap between the left and the right text of a row by a comma. */
function closeUp(row: string): string {
  return row.trim().replaceAll(/ {3,}/g, ", ");
}
