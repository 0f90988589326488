import type { Client } from "../client.ts";
import { themes } from "../screen/look.ts";
import { connectProvider } from "./connect-provider.ts";
import { pickMcpServer } from "./mcp-servers.ts";
import { pickAgent, pickModel } from "./pick-model.ts";
import { pickMode, pickRule } from "./pick-permissions.ts";
import { pickSession } from "./pick-session.ts";
import { forkHere, openRewind } from "./rewind.ts";
import { searchTexts } from "./search-texts.ts";
import { openTimeline } from "./timeline-view.ts";
import { openTranscript } from "./transcript-view.ts";
import { openHelp } from "./help-view.ts";
import { cancelAnd, putBack, stopRun } from "./put-back.ts";
import { undoRun } from "./undo-run.ts";

export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  run(client: Client, rest: string): void;
}

/** Commands of the client itself. Commands of the directory come from the server. */
export const slashCommands: readonly SlashCommand[] = [
  {
    name: "help",
    description: "Show keys and commands",
    run: (client) => openHelp(client, slashCommands),
  },
  { name: "new", description: "Start a new session", run: (client) => client.startNew() },
  {
    name: "sessions",
    description: "Switch to another session",
    run: (client) => void pickSession(client),
  },
  {
    name: "search",
    description: "Search the messages of all sessions, as in /search flaky --kind prompt",
    run: (client, rest) => searchTexts(client, rest),
  },
  {
    name: "model",
    description: "Choose the model for the next prompts",
    run: (client, rest) => void pickModel(client, rest),
  },
  {
    name: "agent",
    description: "Choose the agent of the session",
    run: (client, rest) => void pickAgent(client, rest),
  },
  {
    name: "mode",
    description: "Choose the permission mode: ask, accept edits, plan",
    run: (client, rest) => pickMode(client, rest),
  },
  {
    name: "rules",
    description: "List and remove remembered permissions",
    run: (client) => void pickRule(client),
  },
  {
    name: "mcp",
    description: "List MCP servers, and sign in to them",
    run: (client, rest) => void pickMcpServer(client, rest),
  },
  {
    name: "connect",
    description: "Sign in to a model provider with a code",
    run: (client, rest) => void connectProvider(client, rest),
  },
  {
    name: "stop",
    description: "Stop the active run and keep the queue",
    run: (client) => void stopRun(client),
  },
  {
    name: "stop-all",
    description: "Stop the active run, the queue and all background work",
    run: (client) => void cancelAnd(client, ({ handle }) => handle.cancel({ tree: true })),
  },
  {
    name: "clear-queue",
    description: "Withdraw all queued prompts",
    run: (client) => void cancelAnd(client, ({ handle }) => handle.clearQueue()),
  },
  {
    name: "put-back",
    description: "Resend the prompts that you stopped or withdrew last",
    run: (client) => void putBack(client),
  },
  {
    name: "resume",
    description: "Continue a paused or interrupted session",
    run: (client) => resume(client),
  },
  {
    name: "rewind",
    description: "Go back to an earlier prompt in a new session",
    run: (client) => openRewind(client),
  },
  {
    name: "fork",
    description: "Continue in a copy of this session",
    run: (client) => void forkHere(client),
  },
  {
    name: "undo",
    description: "Undo the file changes of a prompt",
    run: (client) => void undoRun(client),
  },
  {
    name: "timeline",
    description: "Show when each prompt waited and ran",
    run: (client) => openTimeline(client),
  },
  {
    name: "transcript",
    description: "Show the whole session",
    run: (client) => void openTranscript(client),
  },
  {
    name: "rename",
    description: "Change the title of the session",
    run: (client, rest) => rename(client, rest),
  },
  {
    name: "mute",
    description: "Turn the notifications of this session off or on",
    run: (client) => mute(client),
  },
  {
    name: "theme",
    description: `Choose colours: ${themes.join(", ")}`,
    run: (client, rest) => theme(client, rest),
  },
  {
    name: "quit",
    description: "Leave. The session continues",
    run: (client) => client.options.onLeave(),
  },
];

export function findCommand(name: string): SlashCommand | null {
  return slashCommands.find((command) => command.name === name) ?? aliases[name] ?? null;
}

const aliases: Readonly<Record<string, SlashCommand>> = Object.fromEntries(
  [
    ["exit", "quit"],
    ["clear", "new"],
    ["models", "model"],
    ["agents", "agent"],
    ["resume-session", "sessions"],
  ].flatMap(([alias = "", name]) => {
    const command = slashCommands.find((one) => one.name === name);
    return command === undefined ? [] : [[alias, command]];
  }),
);

function mute(client: Client): void {
  void client.act(async ({ handle: { sessionId } }) => {
    if (client.holdfast === null) return;
    const { notifications } = client.holdfast;
    const isMuted = (await notifications.settings()).muted.includes(sessionId);
    await notifications.change(isMuted ? { unmute: [sessionId] } : { mute: [sessionId] });
    client.say(
      isMuted
        ? "Notifications of this session are on again"
        : "Notifications of this session are off, on all your devices",
    );
  });
}

function resume(client: Client): void {
  void client.act(async ({ handle }) => {
    const holds = await handle.holds();
    if (holds.length === 0) return client.say("The session is not paused");
    for (const { holdId } of holds) await handle.release(holdId);
  });
}

function rename(client: Client, title: string): void {
  if (title === "") return client.say("Type the title after /rename");
  void client.act(async ({ handle }) => {
    await handle.rename(title);
    client.say(`Title: ${title}`);
  });
}

function theme(client: Client, name: string): void {
  const chosen = themes.find((one) => one === name);
  if (chosen === undefined) return client.say(`Themes: ${themes.join(", ")}`);
  client.setTheme(chosen);
  return client.say(`Theme: ${chosen}`);
}
