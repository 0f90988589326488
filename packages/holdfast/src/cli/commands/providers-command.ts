import { openClient } from "../../compose/client.ts";
import type { Provider } from "@holdfast/sdk";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { configPlace, placeOf } from "../client-options.ts";
import type { PlacedOptions } from "../client-options.ts";
import { printable } from "../terminal/printable.ts";
import { readSecret } from "./secret.ts";
import { onStdout } from "../terminal/style.ts";
import { printTable } from "../terminal/table.ts";
import type { Column } from "../terminal/table.ts";
import { patiently } from "../terminal/lines.ts";
import { showAnswer } from "./maintenance-progress.ts";
import type { FollowOptions } from "./maintenance-progress.ts";

/** `holdfast providers`: lists providers with masked keys. */
export async function listProviders(options: PlacedOptions & { json?: true }): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const list = await holdfast.providers.list(configPlace(options));
  if (options.json === true) {
    console.log(JSON.stringify(list));
    return exitCodes.ok;
  }
  printTable(columns, list.items.map(cellsOf));
  for (const name of list.untrusted)
    console.log(`${onStdout("bold", printable(name))}  ${untrusted}`);
  if (list.items.length === 0) console.log(`no provider is connected; the demo agent answers`);
  if (list.items.length === 0) console.log("to connect one: holdfast connect anthropic");
  if (list.model !== null) {
    console.log(`default: ${onStdout("bold", printable(list.model))}`);
  }
  return exitCodes.ok;
}

/** `holdfast providers test`: tests a provider's key with one cheap request. */
export async function testProvider(
  options: PlacedOptions & { provider: string; json?: true },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const { provider } = options;
  const test = holdfast.providers.test(provider, configPlace(options));
  const result = await patiently("asking", test);
  const exitCode = result.works ? exitCodes.ok : exitCodes.failure;
  if (options.json === true) console.log(JSON.stringify(result));
  else if (result.works) {
    console.log(`${provider} works`);
    for (const model of result.models.slice(0, shown)) {
      console.log(`  ${printable(model)}`);
    }
    const more = result.models.length - shown;
    if (more > 0) console.log(`  and ${more} more (--json lists all)`);
  } else {
    console.error(`holdfast: ${provider} does not work: ${printable(result.problem ?? "")}`);
  }
  return exitCode;
}

const shown = 30;

const untrusted = "this project's settings for it need trust; run: holdfast trust";

export type ConnectOptions = FollowOptions & {
  readonly provider: string;
  readonly keyEnv?: string;
  /** OAuth client id for a sign-in. */
  readonly clientId?: string;
  /** False: the provider needs no key. */
  readonly key?: false;
  readonly baseUrl?: string;
  readonly protocol?: Provider["protocol"];
  readonly model?: string;
};

/** `holdfast connect`: stores a provider's key. The next runs use it. */
export async function connectProvider(options: ConnectOptions): Promise<ExitCode> {
  const { provider, baseUrl, protocol, model: defaultModel } = options;
  const isSignIn = provider === "copilot" && options.keyEnv === undefined && options.key !== false;
  if (isSignIn) return signIn(options);
  const question = `API key of ${provider} (hidden): `;
  const key =
    options.key === false ? null : await readSecret({ question, variable: options.keyEnv });
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const input = { key, baseUrl, protocol, defaultModel };
  const answer = await patiently("loading", holdfast.providers.connect(provider, input));
  const said = `connected ${provider}; to test it: holdfast providers test ${provider}`;
  return await showAnswer(holdfast, answer, { ...options, said });
}

/** Shows a code to type at the provider's page, and waits until the person has signed in. */
async function signIn(options: ConnectOptions): Promise<ExitCode> {
  const { provider, baseUrl, model: defaultModel } = options;
  // Read the variable in this process, because the server may have been started with other environment variables.
  const clientId =
    options.clientId ?? (process.env["HOLDFAST_COPILOT_CLIENT_ID"]?.trim() || undefined);
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const input = { baseUrl, clientId, defaultModel };
  const { url, userCode } = await holdfast.providers.startSignIn(provider, input);
  console.log(`Open ${printable(url)} and enter the code ${onStdout("bold", printable(userCode))}`);
  for (;;) {
    const waited = holdfast.providers.waitForSignIn(provider);
    const { status, problem, change } = await patiently("waiting for the sign-in", waited);
    if (status === "failed") {
      console.error(`holdfast: the sign-in failed: ${printable(problem ?? "")}`);
      return exitCodes.failure;
    }
    if (status !== "signedIn") continue;
    const said = `connected ${provider}; to test it: holdfast providers test ${provider}`;
    if (change !== null) return await showAnswer(holdfast, change, { ...options, said });
    console.log(said);
    return exitCodes.ok;
  }
}

/** `holdfast disconnect`: disconnects a provider. Active runs keep the key until they end, unless --force is given. */
export async function disconnectProvider(
  options: FollowOptions & { readonly provider: string },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const { provider, force } = options;
  const mode = force === true ? "force" : "maintenance";
  const answer = await patiently("loading", holdfast.providers.disconnect(provider, { mode }));
  const rest = force === true ? "; its key is no longer used" : "";
  return await showAnswer(holdfast, answer, {
    ...options,
    said: `disconnected ${provider}${rest}`,
  });
}

const columns: readonly Column[] = [
  { title: "PROVIDER", paint: (text) => onStdout("bold", text) },
  { title: "STATUS", optional: 1 },
  { title: "KEY" },
  { title: "DEFAULT MODEL", optional: 2, cut: "middle", least: 20 },
  { title: "ADDRESS", optional: 3, cut: "middle", least: 30 },
];

function cellsOf(provider: Provider): readonly string[] {
  const { name, status, source, baseUrl, key, defaultModel } = provider;
  const from = source === null ? "" : ` from ${sources[source]}`;
  const secret = key === null ? "no key" : `${key}${from}`;
  return [name, status, secret, printable(defaultModel ?? ""), printable(baseUrl)];
}

const sources = {
  environment: "the environment",
  file: "`holdfast connect`",
  config: "the config",
} as const;
