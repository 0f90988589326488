import type { SessionDetail, SessionMode } from "@holdfast/sdk";
import { homedir } from "node:os";
import type { Connection } from "../client-options.ts";
import { modeNames } from "../session/mode.ts";
import type { ContextUse } from "../session/context-use.ts";
import type { Look } from "../screen/look.ts";
import { fit, oneLine, visibleWidth } from "../screen/text.ts";

export interface StatusOptions {
  readonly directory: string;
  readonly detail: SessionDetail | null;
  readonly mode: SessionMode;
  /** Empty: not known yet. */
  readonly model: string;
  readonly agent: string | null;
  /** Null: unknown. */
  readonly context: ContextUse | null;
  readonly connection: Connection;
  /** Number of other sessions that wait for a person. */
  readonly needsYou: number;
  /** A short message that replaces the status line for a moment. */
  readonly hint: string | null;
  readonly look: Look;
  readonly columns: number;
}

/** One part of the status line, such as the model or the cost. */
interface Part {
  readonly text: string;
  /** A shorter text for narrow windows. */
  readonly short?: string;
  /** In a narrow window, the status line first omits the part with the lowest rank. */
  readonly rank: number;
}

/**
 * Returns the last row: mode, model, agent and directory, then context, cost and connection. The row is not padded to
 * the full width, because rows below the cursor must stay short (S4 in `screen.ts`).
 */
export function statusRow(options: StatusOptions): string {
  const { look, columns, hint } = options;
  if (hint !== null) return fit(look.warn(hint), columns);
  const parts = statusParts(options).filter(({ text }) => text !== "");
  return fit(fitting(parts, columns - 1).join(look.dim(" · ")), columns);
}

/** Shortens parts, then leaves out parts, until the rest fits. The part with the highest rank always stays. */
function fitting(parts: readonly Part[], columns: number): readonly string[] {
  const isFitting = (texts: readonly string[]): boolean =>
    visibleWidth(texts.join(" · ")) <= columns;
  const long = parts.map(({ text }) => text);
  if (isFitting(long)) return long;
  let left = parts;
  for (;;) {
    const texts = left.map(({ text, short = text }) => short);
    if (left.length <= 1 || isFitting(texts)) return texts;
    const lowest = Math.min(...left.map(({ rank }) => rank));
    left = left.filter(({ rank }) => rank !== lowest);
  }
}

function statusParts(options: StatusOptions): readonly Part[] {
  const { mode, model, agent, directory, needsYou, context, detail, connection, look } = options;
  const running = detail?.active?.kind === "run" ? detail.active.usage.cost : 0;
  const cost = (detail?.usage.cost ?? 0) + running;
  const others = needsYou === 1 ? "session needs" : "sessions need";
  return [
    {
      rank: 7,
      text: mode === "ask" ? "" : (mode === "plan" ? look.accent : look.warn)(modeNames[mode]),
    },
    { rank: 6, text: model === "" ? "" : look.dim(oneLine(model)) },
    { rank: 2, text: agent === null ? "" : look.dim(oneLine(agent)) },
    { rank: 1, text: look.dim(shortPath(directory)) },
    { rank: 3, text: needsYou === 0 ? "" : look.warn(`${needsYou} other ${others} you`) },
    { rank: 5, ...contextTexts(context, look) },
    {
      rank: 4,
      text: cost === 0 ? "" : look.dim(`$${cost < 1 ? cost.toFixed(3) : cost.toFixed(2)}`),
    },
    { rank: 8, text: connectionText(connection, look) },
  ];
}

/**
 * Percentage of the context window above which the status line warns that a summary will soon replace the conversation.
 */
const fullShare = 80;

function contextTexts(context: ContextUse | null, look: Look): Pick<Part, "text" | "short"> {
  if (context === null) return { text: "" };
  const { used, size } = context;
  if (size === null || size === 0) return { text: look.dim(`${compact(used)} tokens`) };
  const share = Math.min(100, Math.round((100 * used) / size));
  const paint = share >= fullShare ? look.warn : look.dim;
  return {
    text: paint(`context ${share} % (${compact(used)} of ${compact(size)})`),
    short: paint(`context ${share} %`),
  };
}

function compact(count: number): string {
  if (count < 1_000) return String(count);
  const [value, unit] = count < 999_950 ? [count / 1_000, "k"] : [count / 1_000_000, "M"];
  return `${value.toFixed(1).replace(/\.0$/, "")}${unit}`;
}

const connectionNames = {
  connecting: "connecting",
  away: "reconnecting",
  stopped: "server stopped",
} as const;

function connectionText(connection: StatusOptions["connection"], look: Look): string {
  if (connection === "connected") return look.good("●");
  return look.warn(`○ ${connectionNames[connection]}`);
}

export function shortPath(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
