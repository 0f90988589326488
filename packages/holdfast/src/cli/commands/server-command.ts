import { Refused } from "@holdfast/sdk";
import type { Budget, Holdfast, Token, Usage } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import { findAnnounced } from "../../compose/server-client.ts";
import { webPageAdvice } from "../../compose/web-folder.ts";
import { CliError, exitCodes, printResult } from "../cli-error.ts";
import type { ExitCode, JsonOption } from "../cli-error.ts";
import { findServer } from "../connection.ts";
import { folderOf, isElsewhere, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { oneLine } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { printTable } from "../terminal/table.ts";
import type { Column } from "../terminal/table.ts";
import { minuteText, timeText } from "../terminal/time.ts";
import { findIn, shortId } from "../ids.ts";
import { requestStop } from "./request-stop.ts";

type JsonOptions = ClientOptions & JsonOption;

/** `holdfast server status`: shows the state of a server. */
export async function showStatus(options: JsonOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "running");
  const { holdfast, url } = client;
  const [status, me, { model, isDemo }] = await Promise.all([
    holdfast.status(),
    holdfast.me(),
    modelOf(holdfast),
  ]);
  if (options.json === true) {
    console.log(JSON.stringify({ url, ...status, me, ...(model === undefined ? {} : { model }) }));
    return exitCodes.ok;
  }
  const { running, waiting, version, startedAt } = status;
  console.log(`Holdfast ${version} at ${onStdout("bold", url)}, ${status.state}`);
  console.log(`  since    ${timeText(startedAt)}`);
  if (model !== undefined) {
    const missing = isDemo ? "none (the demo agent answers)" : "none (run `holdfast connect`)";
    console.log(`  model    ${model === null ? missing : oneLine(model, 200)}`);
  }
  const { name, problem } = status.sandbox;
  console.log(`  sandbox  ${name ?? `none: ${oneLine(problem ?? "unknown", 300)}`}`);
  console.log(`  you are  ${oneLine(me.name, 200)} (${me.role})`);
  console.log(`  running  ${running.length}, ready to start ${waiting}`);
  for (const { sessionId, runId } of running) {
    console.log(`           session ${shortId(sessionId)}  run ${shortId(runId)}`);
  }
  for (const { directory, waiting: lanes } of status.absent) {
    console.log(
      `  not here ${oneLine(directory, 500)}: ${lanes} waiting for a node with this directory`,
    );
  }
  for (const { cap, spent, limit, resetsAt } of status.caps) {
    const name = cap === "day" ? "today   " : "month   ";
    console.log(`  ${name} ${capText(spent, limit)}, until ${minuteText(resetsAt)}`);
  }
  return exitCodes.ok;
}

function capText(spent: Usage, limit: Budget): string {
  const tokens = spent.inputTokens + spent.outputTokens;
  return [
    ...(limit.cost === null ? [] : [`${spent.cost.toFixed(2)} of ${limit.cost} dollars`]),
    ...(limit.tokens === null ? [] : [`${tokens} of ${limit.tokens} tokens`]),
  ].join(", ");
}

/** Returns the default model; undefined if the token may not list providers. Without a model, the demo agent may answer. */
async function modelOf({
  providers,
}: Holdfast): Promise<{ model: string | null | undefined; isDemo: boolean }> {
  try {
    const { model, items } = await providers.list();
    return { model, isDemo: model === null && items.length === 0 };
  } catch (error) {
    if (error instanceof Refused) return { model: undefined, isDemo: false };
    throw error;
  }
}

/** `holdfast server stop`: lets the server's runs finish and stops it (M9). Never stops a server that starts later. */
export async function stopServer(options: JsonOptions): Promise<ExitCode> {
  const found = await findServer({ ...placeOf(options), isFollowed: false });
  if (found === null) {
    throw new CliError(
      "noServer",
      "no server is running on this database, so there is nothing to stop",
    );
  }
  await using client = found;
  const { holdfast, url } = client;
  const answer = await requestStop(
    async () => ({ running: (await holdfast.status()).running, stopping: await holdfast.stop() }),
    async () => isElsewhere(options) || (await findAnnounced(placeOf(options))) !== null,
  );
  if (answer === null) {
    printResult(options, { url, running: [] }, `the server at ${url} has stopped`);
    return exitCodes.ok;
  }
  const { running, stopping } = answer;
  const { deadline } = stopping;
  const seconds = Math.round(deadline / 1000);
  const count = running.length;
  const rest = `active runs (${count}) have ${seconds} s to end; the rest continues at the next start`;
  const words = `the server at ${url} is stopping: ${count === 0 ? "no run is active" : rest}`;
  printResult(options, { url, ...stopping, running }, words);
  return exitCodes.ok;
}

/** `holdfast link`: prints a one-time link to the web page. */
export async function makeLink(options: JsonOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "server");
  const { holdfast } = client;
  const link = await holdfast.link();
  printResult(options, link, link.url);
  const advice = isElsewhere(options) ? null : webPageAdvice();
  if (advice !== null) console.error(`holdfast: ${advice}`);
  return exitCodes.ok;
}

export async function createToken(
  options: JsonOptions & {
    readonly name: string;
    readonly role: "observe" | "propose" | "prompt" | "admin";
    readonly directory: readonly string[];
    /** Lifetime of the token in milliseconds. */
    readonly expires?: number;
  },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "server");
  const { holdfast } = client;
  const { name, role, directory, expires } = options;
  const directories =
    directory.length === 0 ? null : directory.map((folder) => folderOf(options, folder));
  const expiresAt = expires === undefined ? null : Date.now() + expires;
  const token = await holdfast.tokens.create({ name, role, directories, expiresAt });
  if (options.json === true) console.log(JSON.stringify(token));
  else {
    console.log(token.secret);
    console.error(`token ${token.tokenId} for ${name} (${role}); it is shown only once`);
  }
  return exitCodes.ok;
}

export async function listTokens(options: JsonOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "server");
  const { holdfast } = client;
  const tokens = await holdfast.tokens.list();
  if (options.json === true) for (const token of tokens) console.log(JSON.stringify(token));
  else {
    printTable(
      tokenColumns,
      tokens.map((token) => tokenCells(token, Date.now())),
    );
  }
  return exitCodes.ok;
}

const tokenColumns: readonly Column[] = [
  { title: "TOKEN" },
  { title: "NAME", cut: "end", least: 20 },
  { title: "ROLE" },
  { title: "CREATED", optional: 3 },
  { title: "LAST USED", optional: 2 },
  { title: "DIRECTORIES", optional: 4, cut: "middle", least: 20 },
  { title: "STATE" },
];

function tokenCells(token: Token, now: number): readonly string[] {
  const { tokenId, role, createdAt, lastUsedAt, name, kind } = token;
  return [
    tokenId,
    `${oneLine(name, 200)}${kind === "browser" ? " (browser)" : ""}`,
    role,
    minuteText(createdAt).slice(0, 10),
    lastUsedAt === null ? "never" : minuteText(lastUsedAt),
    oneLine((token.directories ?? []).join(", "), 500),
    stateOf(token, now),
  ];
}

function stateOf({ expiresAt, revokedAt }: Token, now: number): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "";
  return expiresAt <= now ? "expired" : `expires ${minuteText(expiresAt)}`;
}

export async function revokeToken(
  options: JsonOptions & { readonly token: string },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "server");
  const { holdfast } = client;
  const ids = (await holdfast.tokens.list()).map(({ tokenId }) => tokenId);
  const token = findIn(ids, { text: options.token, kind: "token" });
  if (!ids.includes(token)) {
    const advice = "`holdfast server token list` lists all";
    throw new CliError("unknownToken", `there is no token ${options.token}; ${advice}`);
  }
  const revoked = await holdfast.tokens.revoke(token);
  printResult(options, revoked, `revoked ${token}; its open streams have ended`);
  return exitCodes.ok;
}

/** `holdfast server nodes`: lists the server processes (nodes) that share the store, and the sessions of each. */
export async function listNodes(
  options: ClientOptions & { readonly json?: true },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "running");
  const { holdfast } = client;
  const list = await holdfast.nodes();
  if (options.json === true) {
    console.log(JSON.stringify(list));
    return exitCodes.ok;
  }
  for (const node of list.items) {
    const machine = node.host === null ? "unknown machine" : oneLine(node.host, 100);
    const process = node.pid === null ? "" : ` (process ${node.pid}, Holdfast ${node.version})`;
    const places = node.maxRuns === null ? "" : ` of ${node.maxRuns}`;
    const own = node.self ? "  this server" : "";
    console.log(`${onStdout("bold", node.nodeId)}  ${machine}${process}${own}`);
    console.log(`  sessions  ${node.lanes.length}${places}`);
    for (const sessionId of node.lanes)
      console.log(`            ${oneLine(shortId(sessionId), 200)}`);
  }
  const { abandoned, nowhere } = list;
  if (abandoned.length > 0) {
    console.log(`waiting for another node because theirs is gone: ${abandoned.length}`);
    for (const sessionId of abandoned) console.log(`         ${oneLine(shortId(sessionId), 200)}`);
  }
  for (const directory of nowhere) {
    console.log(
      `no node has ${oneLine(directory, 500)}; its sessions wait for a node with this directory`,
    );
  }
  return exitCodes.ok;
}
