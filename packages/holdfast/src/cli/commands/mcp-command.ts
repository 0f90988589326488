import { sleep, systemClock } from "../../base/time.ts";
import type { Clock } from "../../base/time.ts";
import { openClient } from "../../compose/client.ts";
import type { McpServer, Notice, Workspace } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { folderOf, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { noticeLine } from "../terminal/notice.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { patiently } from "../terminal/lines.ts";
import { showAnswer } from "./maintenance-progress.ts";
import type { FollowOptions } from "./maintenance-progress.ts";

export type McpOptions = ClientOptions & { readonly directory: string; readonly json?: true };

/** `holdfast mcp`: lists the MCP servers of a directory with their state and tools. */
export async function listMcpServers(options: McpOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const directory = folderOf(options, options.directory);
  const get = (): Promise<Workspace> => client.holdfast.workspaces.get(directory);
  const isAlone = client.url === null;
  const workspace = await patiently("loading", isAlone ? whenConnected(get) : get());
  const { mcp: servers, generation, problem } = workspace;
  const isStale = generation !== null && problem !== null;
  // A warning without a config key is about an MCP server that has not connected yet.
  const isAbout = ({ key, severity }: Notice): boolean => {
    if (key === null && severity === "warning") return true;
    return generation === null ? severity === "error" : key?.startsWith("mcp") === true;
  };
  // If the current config could not be loaded, the notices are about the previous config and can be out of date. For
  // example, they may say that the config is not trusted.
  const notices = isStale ? [] : workspace.notices.filter(isAbout);
  if (isStale) {
    console.error(`holdfast: failed: ${printable(problem)}`);
    console.error("the previous config stays in use; to try again: holdfast server reload");
  }
  for (const notice of notices) console.error(noticeLine(notice));
  for (const server of servers) {
    console.log(options.json === true ? JSON.stringify(server) : textOf(server));
  }
  if (servers.length + notices.length === 0 && !isStale && options.json !== true) {
    console.log('no MCP server is configured here; add one under "mcp" in holdfast.jsonc');
  }
  // Without a Holdfast server, this command has waited for the MCP servers and stops them now.
  const late = isAlone ? lateServers(servers) : [];
  for (const name of late) console.error(lateText(name));
  const isWell =
    generation !== null && !isStale && servers.every(({ status }) => status !== "failed");
  return isWell && late.length === 0 ? exitCodes.ok : exitCodes.failure;
}

/** Returns the names of the MCP servers that are still connecting. */
export function lateServers(
  servers: readonly Pick<McpServer, "name" | "status">[],
): readonly string[] {
  return servers.filter(({ status }) => status === "connecting").map(({ name }) => name);
}

function lateText(name: string): string {
  const advice = "to give it more time, run `holdfast serve`, then `holdfast mcp` again";
  return `holdfast: failed: ${printable(name)} has not connected within ${longestStart / 1000} s; ${advice}`;
}

/** Milliseconds after which an MCP server counts as one that does not start. */
const longestStart = 25_000;

/**
 * Waits until each MCP server has connected or failed. Without a Holdfast server, this command itself starts the MCP
 * servers, and they stop when the command ends. If the command did not wait, an MCP server with a slow first start,
 * such as a download by npx, would never connect.
 */
export async function whenConnected<
  Loaded extends { readonly mcp: readonly Pick<McpServer, "status">[] },
>(get: () => Promise<Loaded>, clock: Clock = systemClock): Promise<Loaded> {
  const end = clock.monotonic() + longestStart;
  for (;;) {
    const workspace = await get();
    const isConnecting = workspace.mcp.some(({ status }) => status === "connecting");
    if (!isConnecting || clock.monotonic() >= end) return workspace;
    await sleep(100, { clock });
  }
}

/** `holdfast mcp restart`: restarts an MCP server for the next runs. Active runs keep the old process. */
export async function restartMcpServer(
  options: McpOptions & FollowOptions & { readonly name: string },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const { name } = options;
  const directory = folderOf(options, options.directory);
  const mode = options.force === true ? "force" : "maintenance";
  const answer = await patiently("loading", holdfast.mcp.restart(name, { directory, mode }));
  const exit = await showAnswer(holdfast, answer, { ...options, said: `restarted ${name}` });
  const server = (await holdfast.mcp.list(directory)).find((each) => each.name === name);
  if (exit !== exitCodes.ok || server?.needsSignIn !== true) return exit;
  console.error(
    `holdfast: failed: ${printable(server.problem ?? `run: holdfast mcp login ${name}`)}`,
  );
  return exitCodes.failure;
}

const colours = {
  connecting: "yellow",
  connected: "green",
  reconnecting: "red",
  failed: "red",
} as const;

function textOf(server: McpServer): string {
  const { name, transport, status, problem, file, line, tools, prompts, resources, stderr } =
    server;
  const counts = [
    count(tools.length, "tool"),
    count(prompts.length, "prompt"),
    count(resources, "resource"),
  ].filter((text) => text !== "");
  const head = `${onStdout("bold", printable(name))}  ${transport === null ? "" : `${transport}  `}${onStdout(colours[status], status)}`;
  const lines = [
    [head, ...counts].join("  "),
    ...(problem === null ? [] : [`  ${onStdout("red", printable(problem))}`]),
    ...(problem === null || file === null ? [] : [`  configured in ${printable(file)}:${line}`]),
    ...tools.map((tool) =>
      `  ${printable(tool.name)}  ${onStdout("dim", oneLine(tool.description, 70))}`.trimEnd(),
    ),
  ];
  const last = stderr
    .trim()
    .split("\n")
    .slice(-3)
    .filter((line) => line !== "");
  const isWell = problem === null && status === "connected";
  const printed = isWell ? [] : last.map((line) => `  | ${oneLine(line, 200)}`);
  return [...lines, ...printed].join("\n");
}

function count(number: number, noun: string): string {
  if (number === 0) return "";
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
