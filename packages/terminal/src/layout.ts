import type { Workspace } from "@holdfast/sdk";
import type { Client } from "./client.ts";
import { shellRows } from "./commands/shell.ts";
import { agentRows, askerOf } from "./panels/agents-panel.ts";
import { liveStepRows } from "./panels/live-step.ts";
import type { Pager } from "./panels/pager.ts";
import type { Picker } from "./panels/picker.ts";
import { queueRows } from "./panels/queue-panel.ts";
import { statusRow } from "./panels/status-line.ts";
import { todoRows } from "./panels/todo-panel.ts";
import type { Frame } from "./screen/screen.ts";
import { fit } from "./screen/text.ts";
import { seconds } from "./transcript/time-text.ts";
import { hostedAgent, promptChoices } from "./session/hosted-agent.ts";

/** A list or a view that receives all keys until it is closed. */
export type Overlay =
  | { readonly kind: "picker"; readonly picker: Pick<Picker<never>, "take" | "rows"> }
  | Pick<Pager, "kind" | "take" | "resize">;

/** Returns the rows of the live region: growing answer, panels, dialog or editor, status line. */
export function layout(client: Client): Frame {
  const { screen, look, view, overlay } = client;
  const { dialog } = client.asking;
  const { columns } = screen;
  const now = client.clock.now();
  const input =
    overlay?.kind === "picker"
      ? overlay.picker.rows({ look, columns, height: screen.rows })
      : client.editor.renderRows(columns);
  const asked = askRows(client, screen.rows - input.rows.length - 1);
  const status = statusOf(client, columns);
  const above = [
    ...liveStepRows(client.transcript.openStep, view?.inFlight ?? null, {
      look,
      columns,
      height: screen.rows,
      highlight: client.highlight,
      now,
    }),
    ...shellRows(client),
    ...panelRows(client),
    ...workingRow(client, now),
    ...asked,
  ];
  // If the window is too low for all rows, leave out rows at the top, and keep the editor and the status line. An ask
  // may use the whole window, because the user must see all of it.
  const height = dialog === null ? screen.safeRows : screen.rows;
  const room = Math.max(0, height - input.rows.length - 1);
  const spaced = above[0] === "" ? above : ["", ...above];
  const shown = spaced.slice(Math.max(0, spaced.length - room));
  const isHidden = client.asking.hasKeys || client.queueSelection !== null;
  return {
    rows: [...shown, ...input.rows, status],
    cursor:
      input.cursor === null || isHidden
        ? null
        : { row: shown.length + input.cursor.row, column: input.cursor.column },
  };
}

/** Returns the rows of the open ask, and records whether the window has room for it. */
function askRows(client: Client, height: number): readonly string[] {
  const { asking, look, screen } = client;
  const { dialog, hasKeys } = asking;
  if (dialog === null) return [];
  const more = client.asks.length - 1;
  const from = askerOf(client, dialog.ask);
  const { columns } = screen;
  const drawn = dialog.rows({ look, columns, height, isFocused: hasKeys, more, from });
  asking.noteRoom(drawn.hasRoom);
  return drawn.rows;
}

/** Returns the status line of the client. */
export function statusOf(client: Client, columns: number): string {
  const { look, view } = client;
  return statusRow({
    directory: client.directory,
    detail: view?.detail ?? null,
    mode: client.mode.current,
    ...shownChoices(client),
    context: client.contextWindows.useOf(view?.conversation ?? null, client.holdfast),
    connection: client.connection,
    needsYou: client.family?.othersAsking ?? 0,
    hint: client.hint ?? lowWindowHint(client),
    look,
    columns,
  });
}

function lowWindowHint({ asking, overlay, options }: Client): string | null {
  if (asking.dialog === null || asking.hasRoom || overlay !== null || options.isPlain) return null;
  return "Needs you: make the window taller to answer";
}

function panelRows(client: Client): string[] {
  const { look, view, outbox, queueSelection: selected } = client;
  const { columns } = client.screen;
  const conversation = view?.conversation ?? null;
  const todo = client.isBusy ? todoRows(conversation, { look, columns }) : [];
  const queue = queueRows({
    detail: view?.detail ?? null,
    conversation,
    outgoing: outbox.waiting,
    selected,
    look,
    columns,
  });
  const agents = agentRows(client.family?.members ?? [], { look, columns, conversation });
  return [todo, agents, queue].flatMap((rows) => (rows.length === 0 ? [] : ["", ...rows]));
}

const spinner = ["✶", "✸", "✹", "✺", "✹", "✷"];

function workingRow(client: Client, now: number): string[] {
  const { view, look, screen } = client;
  const active = view?.detail?.active ?? null;
  if (active === null || view === null) return [];
  const mark = look.accent(spinner[Math.floor(now / 250) % spinner.length] ?? "✶");
  if (active.kind === "work") return ["", `${mark} ${active.name}…`];
  const startedAt = view.conversation.runs.get(active.runId)?.startedAt ?? 0;
  const time = startedAt === 0 ? "" : ` ${seconds(now - startedAt)}`;
  // Also check the asks from the event stream, because `active` may have been read before an ask was opened.
  const isAsking = active.openAsks.length > 0 || client.asks.length > 0;
  if (isAsking && active.status === "running") {
    const escape = client.asking.hasKeys ? "Esc returns to the editor" : "Esc stops";
    return ["", look.warn(fit(`✶ Needs you · ${escape}`, screen.columns))];
  }
  const doing = active.status === "running" ? stages[active.stage] : "Stopping";
  const keys = active.status === "running" ? " · Esc stops · Ctrl-S steers" : "";
  return ["", fit(`${mark} ${doing}…${look.dim(`${time}${keys}`)}`, screen.columns)];
}

const stages = { boundary: "Starting", model: "Working", tools: "Working" } as const;

/**
 * Returns the model and agent for the status line. The model of an external (hosted) agent is known only if the user
 * chose it.
 */
function shownChoices(client: Client): { model: string; agent: string | null } {
  const hosted = hostedAgent(client);
  if (hosted !== null) return { model: promptChoices(client).model ?? "", agent: hosted.name };
  const { workspace } = client;
  // Before the workspace is loaded, the default model is unknown.
  const usual = workspace === null ? "" : usualModel(workspace);
  return { model: client.model ?? usual, agent: client.agent.current };
}

function usualModel({ model, demo }: Workspace): string {
  return model ?? (demo ? "no model: demo agent" : "no model: run holdfast connect");
}
