import { isLocalHost } from "../server/listen.ts";
import { stopWhenIdle } from "./idle-stop.ts";
import { giveMemoryBackAtRest } from "./memory-at-rest.ts";
import { sandboxStatus, sandboxText } from "./sandbox-status.ts";
import { serve } from "./serve.ts";
import type { ServerSettings, Serving } from "./serve.ts";
import { commandForServer, connectAdvice, storeName } from "./stores.ts";

export type RunningSettings = Omit<ServerSettings, "onStop">;

/** Runs the server in the foreground until it is stopped. Resolves when everything is closed. */
export async function runServer(settings: RunningSettings): Promise<void> {
  if (!isLocalHost(settings.host)) warn(settings.host);
  const serving = await serve({
    ...settings,
    onStop: ({ deadline, running }) => {
      const runs = running === 1 ? "1 run has" : `${running} runs have`;
      const rest = `${runs} ${deadline / 1000} s to end; the rest continues at the next start`;
      console.error(`holdfast: stopping; ${running === 0 ? "no run is active" : rest}`);
    },
  });
  await using resources = new AsyncDisposableStack();
  resources.use(giveMemoryBackAtRest());
  const release = stopOnSignals(serving);
  try {
    await serving.server.ready;
    console.log(await startText(serving, settings));
    const { stopWhenIdle: after = null } = settings;
    if (after !== null) resources.use(watchIdle(serving, after));
    await serving.server.closed;
    const failure = serving.failure();
    if (failure !== null) throw failure;
  } finally {
    release();
  }
}

function watchIdle(serving: Serving, after: number): AsyncDisposable {
  const { server } = serving;
  return stopWhenIdle({
    after,
    lastUse: () => Math.max(server.lastUse(), serving.lastEvent()),
    hasWork: () => serving.hasWork(),
    stop: () => {
      const time = after < 60_000 ? `${after / 1_000} s` : `${Math.round(after / 60_000)} min`;
      console.error(`holdfast: stopping, because no client has used the server for ${time}`);
      // Ignore the error here: the promise `closed` rejects with it.
      server.stop({ isIdle: true }).catch(() => {});
    },
    onError: (error) => console.error(`holdfast: could not check for work: ${String(error)}`),
  });
}

/** The first signal drains the server. A second signal ends the process immediately; committed data is safe. */
function stopOnSignals({ server }: Serving): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let isStopping = false;
  const stop = (signal: (typeof signals)[number]): void => {
    if (isStopping) {
      server.withdraw();
      console.error("holdfast: exiting at once; unfinished work continues at the next start");
      process.exit(signal === "SIGINT" ? 130 : 143);
    }
    isStopping = true;
    // Ignore the error here: the promise `closed` rejects with it.
    server.stop().catch(() => {});
  };
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}

/** Builds the text of a start. If that fails, stops the server, because the command fails too. */
async function startText(serving: Serving, settings: RunningSettings): Promise<string> {
  try {
    return await greeting(serving, settings);
  } catch (error) {
    await serving.server.stop({ deadline: 0 });
    throw error;
  }
}

async function greeting(serving: Serving, settings: RunningSettings): Promise<string> {
  const { server, model, version } = serving;
  const { dataFolder, store, publicUrl } = settings;
  const reached = { ...settings, url: server.url };
  const agent =
    model ??
    `demo agent (needs no model; follows simple instructions)\n           ${connectAdvice}`;
  return [
    `Holdfast ${version} is listening at ${server.url}${publicUrl === null ? "" : `, public URL ${publicUrl}`}`,
    "",
    `  store    ${storeName(store)}`,
    `  data     ${dataFolder} (its file "token" gives full access: keep it private)`,
    `  model    ${agent}`,
    `  sandbox  ${sandboxText(await sandboxStatus())}`,
    ...(await browserLines(serving, commandForServer("holdfast link", reached))),
    `  API      ${publicUrl ?? server.url}/docs`,
    "",
    `To send a prompt from another shell: ${commandForServer("npx holdfast run", reached)} "say hello". Ctrl-C stops the server.`,
  ].join("\n");
}

/** A sign-in link is shown only at a terminal and never written to a log. */
async function browserLines(serving: Serving, linkCommand: string): Promise<readonly string[]> {
  if (!process.stdout.isTTY) return [`  browser  run \`${linkCommand}\` for a sign-in link`];
  const again = `works once, for 5 minutes; for another link: ${linkCommand}`;
  return [`  browser  ${await serving.link()}`, `           ${again}`];
}

function warn(host: string): void {
  const lines = [
    `holdfast: listening on ${host}, so other machines can connect. Anyone with a token can`,
    "  run commands as you, and without TLS others on the network can read the token. Use a proxy",
    "  with TLS and set --public-url to its URL; see docs/SECURITY.md.",
  ];
  console.error(lines.join("\n"));
}
