import type { Session, Workspace } from "@holdfast/sdk";
import { t } from "../../i18n/text.ts";
import { parseSlash } from "../../model/slash-text.ts";
import type { SlashText } from "../../model/slash-text.ts";
import { holdfast } from "../../state/client.ts";
import { go } from "../../state/router.ts";
import { modeNamed, setSessionMode } from "../../state/session-mode.ts";
import { attempt } from "../../state/show-error.ts";
import { showToast } from "../../state/toasts.ts";
import { setOverlay } from "../overlay/overlay.ts";
import type { Completion } from "./completion-list.tsx";
import { openModeChoice } from "./mode-choice.tsx";
import {
  archiveSession,
  cancelSession,
  clearQueue,
  forkSession,
  holdSession,
  releaseHolds,
  setRenaming,
} from "../session-actions.tsx";

type CommandName = keyof ReturnType<typeof t>["commands"];

interface PageCommand {
  readonly name: CommandName;
  readonly run: (session: Session, rest: string) => void;
}

/** A command of the page itself, or a command of the directory, which is sent as a prompt. */
export type SlashCommand =
  | ({ readonly kind: "page" } & PageCommand)
  | { readonly kind: "directory"; readonly name: string; readonly description: string };

type DirectoryCommands = Workspace["commands"];

const pageCommands: readonly PageCommand[] = [
  { name: "new", run: ({ directory }) => void newSession(directory) },
  {
    name: "rename",
    run: (session, title) => {
      if (title === "") setRenaming(session);
      else void attempt(() => holdfast.session(session.sessionId).rename(title));
    },
  },
  { name: "mode", run: ({ sessionId }, typed) => chooseMode(sessionId, typed) },
  { name: "fork", run: ({ sessionId }) => void forkSession(sessionId) },
  { name: "archive", run: (session) => void archiveSession(session) },
  { name: "cancel", run: ({ sessionId }) => void cancelSession(sessionId) },
  { name: "clear", run: ({ sessionId }) => void clearQueue(sessionId) },
  { name: "hold", run: (session) => void holdSession(session) },
  { name: "release", run: (session) => void releaseHolds(session) },
  { name: "timeline", run: ({ sessionId }) => go({ page: "sessionTimeline", sessionId }) },
  { name: "help", run: () => setOverlay("help") },
];

/** Returns the commands whose names begin with the typed text. */
export function commandsFor(text: string, all: readonly SlashCommand[]): readonly SlashCommand[] {
  const typed = /^\/([\w:.-]*)$/.exec(text)?.[1];
  return typed === undefined ? [] : all.filter(({ name }) => name.startsWith(typed));
}

/**
 * Returns the commands of the directory and of the external (hosted) agent, which are sent as prompts. They need no
 * session.
 */
export function sentCommands(
  workspace: Workspace | null,
  hosted: Workspace["agents"][number] | null,
): readonly SlashCommand[] {
  const own: DirectoryCommands = [
    ...(workspace?.commands ?? []),
    ...(hosted?.commands ?? []).map((each) => ({ ...each, source: hosted?.name ?? "" })),
  ];
  return own.map(({ name, description, source }) => ({
    kind: "directory",
    name,
    description: describe({ name, description, source }),
  }));
}

/** Adds the commands of the page, which need a session. A directory's command replaces one of the same name. */
export function withPageCommands(sent: readonly SlashCommand[]): readonly SlashCommand[] {
  const names = new Set(sent.map(({ name }) => name));
  return [
    ...sent,
    ...pageCommands
      .filter(({ name }) => !names.has(name))
      .map((command) => ({ kind: "page" as const, ...command })),
  ];
}

function describe(
  command: Pick<DirectoryCommands[number], "name" | "description" | "source">,
): string {
  const { name, description, source } = command;
  if (name === "compact" && source === "Holdfast") return t().composer.compact;
  return description === "" ? t().composer.fromDirectory({ source }) : description;
}

/** Parses a text as a command. Returns null for a prompt. A path is not a command. */
export function parseCommand(
  text: string,
  all: readonly SlashCommand[],
): (SlashText & { readonly command: SlashCommand | null }) | null {
  const written = parseSlash(
    text,
    all.map(({ name }) => name),
  );
  if (written === null) return null;
  return { ...written, command: all.find(({ name }) => name === written.name) ?? null };
}

/** Sets the typed mode. If none is typed, opens the list of modes. */
function chooseMode(sessionId: string, typed: string): void {
  const mode = modeNamed(typed);
  if (mode !== null) void setSessionMode(sessionId, mode);
  else if (typed === "") openModeChoice();
  else showToast(() => t().modes.unknown({ name: typed }), { tone: "bad" });
}

async function newSession(directory: string): Promise<void> {
  await attempt(async () => {
    const { sessionId } = await holdfast.sessions.create({ directory });
    go({ page: "session", sessionId });
  });
}

export function completionOf(command: SlashCommand): Completion {
  const { kind, name } = command;
  const detail = kind === "page" ? t().commands[name] : command.description;
  return { key: name, label: `/${name}`, isCode: true, detail };
}
