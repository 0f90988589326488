import type { SessionDetail, SessionMode } from "@holdfast/sdk";
import { homedir } from "node:os";
import { modeNames } from "../session/mode.ts";
import type { Look } from "../screen/look.ts";
import { fit, oneLine, visibleWidth } from "../screen/text.ts";

export interface StatusOptions {
  readonly directory: string;
  readonly detail: SessionDetail | null;
  readonly mode: SessionMode;
  readonly model: string | null;
  readonly agent: string | null;
  /** Input tokens of the latest step, and the size of the model's context; null: unknown. */
  readonly context: { readonly used: number; readonly size: number | null } | null;
  readonly connection: "connecting" | "connected" | "away";
  /** Other sessions that wait for a person. */
  readonly needsYou: number;
  /** A short message that replaces the line for a moment. */
  readonly hint: string | null;
  readonly look: Look;
  readonly columns: number;
}

/**
 * The last row: mode, model, agent and directory, then context, cost and connection. It is not wider than its words,
 * because rows below the cursor must stay short (S4 in `screen.ts`).
 */
export function statusRow(options: StatusOptions): string {
  const { look, columns, hint } = options;
  if (hint !== null) return fit(look.warn(hint), columns);
  const left = leftParts(options);
  const right = rightParts(options);
  const separator = look.dim(" · ");
  // In a narrow window, keep the first part and the connection and leave out the rest.
  while (left.length + right.length > 2) {
    const width = visibleWidth([...left, ...right].join(" · ")) + 1;
    if (width <= columns) break;
    if (right.length > 1) right.shift();
    else left.splice(left.length > 1 ? 1 : 0, 1);
  }
  return fit([...left, ...right].join(separator), columns);
}

function leftParts(options: StatusOptions): string[] {
  const { mode, model, agent, directory, needsYou, look } = options;
  return [
    mode === "ask" ? "" : (mode === "plan" ? look.accent : look.warn)(modeNames[mode]),
    look.dim(oneLine(model ?? "no model: demo agent")),
    agent === null ? "" : look.dim(oneLine(agent)),
    look.dim(shortPath(directory)),
    needsYou === 0
      ? ""
      : look.warn(`${needsYou} other ${needsYou === 1 ? "session needs" : "sessions need"} you`),
  ].filter((part) => part !== "");
}

function rightParts({ context, detail, connection, look }: StatusOptions): string[] {
  const cost = detail?.usage.cost ?? 0;
  return [
    context === null ? "" : look.dim(contextText(context)),
    cost === 0 ? "" : look.dim(`$${cost < 1 ? cost.toFixed(3) : cost.toFixed(2)}`),
    connectionText(connection, look),
  ].filter((part) => part !== "");
}

function contextText({ used, size }: { used: number; size: number | null }): string {
  if (size === null || size === 0) return `${compact(used)} tokens`;
  return `${Math.min(100, Math.round((100 * used) / size))} % context`;
}

function compact(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000
    ? `${(count / 1_000).toFixed(1)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

function connectionText(connection: StatusOptions["connection"], look: Look): string {
  if (connection === "connected") return look.good("●");
  return look.warn(connection === "away" ? "○ reconnecting" : "○ connecting");
}

export function shortPath(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
