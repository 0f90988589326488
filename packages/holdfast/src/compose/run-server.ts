import { isLocalHost } from "../server/listen.ts";
import { giveMemoryBackAtRest } from "./memory-at-rest.ts";
import { sandboxStatus, sandboxText } from "./sandbox-status.ts";
import { serve } from "./serve.ts";
import type { ServerSettings, Serving } from "./serve.ts";
import { connectAdvice, defaultStore, storeName } from "./stores.ts";

export type RunningSettings = Omit<ServerSettings, "onStop">;

/** Serves in the foreground until it is told to stop; resolves when everything is closed. */
export async function runServer(settings: RunningSettings): Promise<void> {
  if (!isLocalHost(settings.host)) warn(settings.host);
  const serving = await serve({
    ...settings,
    onStop: ({ deadline, running }) => {
      const runs = running === 1 ? "1 run has" : `${running} runs have`;
      const rest = `${runs} ${deadline / 1000} s to end, what is left then goes on at the next start`;
      console.error(`holdfast: stopping; ${running === 0 ? "no run is active" : rest}`);
    },
  });
  await using resources = new AsyncDisposableStack();
  resources.use(giveMemoryBackAtRest());
  const release = stopOnSignals(serving);
  try {
    await serving.server.ready;
    console.log(await greeting(serving, settings));
    await serving.server.closed;
    const failure = serving.failure();
    if (failure !== null) throw failure;
  } finally {
    release();
  }
}

/** The first signal drains; a second one does not wait for it. What is committed is safe. */
function stopOnSignals({ server }: Serving): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let isStopping = false;
  const stop = (signal: (typeof signals)[number]): void => {
    if (isStopping) {
      console.error("holdfast: left at once; what is unfinished goes on at the next start");
      process.exit(signal === "SIGINT" ? 130 : 143);
    }
    isStopping = true;
    // A failure rejects `closed`.
    server.stop().catch(() => {});
  };
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}

async function greeting(serving: Serving, settings: RunningSettings): Promise<string> {
  const { server, model, version } = serving;
  const { dataFolder, store, publicUrl, environment, home } = settings;
  // Commands look for the server of the usual store unless another is named.
  const place = store === defaultStore(environment, home) ? "" : ` --store ${storeName(store)}`;
  const agent =
    model ??
    `demo agent, which needs no model and does what a prompt says\n           ${connectAdvice}`;
  return [
    `Holdfast ${version} serves at ${server.url}${publicUrl === null ? "" : `, as ${publicUrl}`}`,
    "",
    `  store    ${storeName(store)}`,
    `  data     ${dataFolder} (the file token in it opens this server: it is yours alone)`,
    `  model    ${agent}`,
    `  sandbox  ${sandboxText(await sandboxStatus())}`,
    ...(await browserLines(serving, place)),
    `  API      ${publicUrl ?? server.url}/docs`,
    "",
    `Send a prompt from another shell with \`npx holdfast run${place} "say hello"\`. Ctrl-C stops the server.`,
  ].join("\n");
}

/** A code that opens the server is shown to a person at a terminal, and never written into a log. */
async function browserLines(serving: Serving, place: string): Promise<readonly string[]> {
  if (!process.stdout.isTTY)
    return [`  browser  run \`holdfast link${place}\` for a link that opens it`];
  const again = `opens once, within 5 minutes; \`holdfast link${place}\` makes another`;
  return [`  browser  ${await serving.link()}`, `           ${again}`];
}

function warn(host: string): void {
  const lines = [
    `holdfast: listening on ${host}, beyond this machine. Whoever reaches it and has a token can`,
    "  run commands as you, and without TLS everybody on the way can read the token. Put a proxy",
    "  with TLS before it and name it with --public-url; docs/SECURITY.md says how.",
  ];
  console.error(lines.join("\n"));
}
