import { join } from "node:path";
import type { Holdfast, Provider } from "@holdfast/sdk";
import { withTimeout } from "../../base/time.ts";
import { openClient } from "../client.ts";
import type { Client } from "../client.ts";
import { readModelStatus } from "../model-status.ts";
import { CredentialsError, createCredentials } from "../../workspace/providers/credentials.ts";
import { connectAdvice, dataFolder } from "../stores.ts";
import type { SetupPlace } from "./check-setup.ts";
import { brokenConfig, brokenKeys, fail, ok, unknown, warn } from "./finding.ts";
import type { Check, Finding } from "./finding.ts";
import { checkNetwork } from "./network.ts";

/** Returns the checks of the config, the stored keys, the providers and the MCP servers. They share one client. */
export function settingsChecks(
  place: SetupPlace,
): AsyncDisposable & { readonly checks: readonly Check[] } {
  let opened: Promise<Client> | null = null;
  const client = async (): Promise<Holdfast> => {
    opened ??= openClient({ ...place, server: "" }, "settings");
    return (await opened).holdfast;
  };
  const { directory } = place;
  const providers = async (): Promise<readonly Provider[]> => {
    const { items } = await (await client()).providers.list({ directory });
    return items.filter(({ status }) => status === "connected");
  };
  let readConfig: Promise<readonly Finding[]> | null = null;
  const config = (): Promise<readonly Finding[]> =>
    (readConfig ??= client().then((holdfast) => configFindings(holdfast, directory)));
  let readKeys: Promise<readonly Finding[]> | null = null;
  const keys = (): Promise<readonly Finding[]> => (readKeys ??= keyFindings(place));
  /** Names the reason briefly if a check fails because of errors that the check of the config or the keys reports. */
  const needsSettings = ({ subject, run }: Check): Check => ({
    subject,
    run: async (signal) => {
      try {
        return await run(signal);
      } catch (error) {
        if ((await config()).some(isFailed)) return [brokenConfig(subject)];
        if ((await keys()).some(isFailed)) return [brokenKeys(subject)];
        throw error;
      }
    },
  });
  const others: readonly Check[] = [
    {
      subject: "models",
      run: async () => modelFindings(await client(), { items: await providers(), directory }),
    },
    { subject: "default model", run: () => endFinding(place) },
    { subject: "network", run: async (signal) => checkNetwork(await providers(), signal) },
    { subject: "MCP", run: async () => mcpFindings(await client(), directory) },
  ];
  const close = async (): Promise<void> => {
    // Ignore the error: a check has already reported that the client could not be opened.
    const closing = opened?.then((one) => one[Symbol.asyncDispose]()).catch(() => {});
    // An MCP server that does not end must not keep this command running.
    await withTimeout(Promise.resolve(closing), { milliseconds: 2_000, late: () => undefined });
  };
  const checks = [
    { subject: "config", run: config },
    { subject: "keys", run: keys },
    ...others.map(needsSettings),
  ];
  return { checks, [Symbol.asyncDispose]: close };
}

function isFailed({ status }: Finding): boolean {
  return status === "error";
}

/** Checks that the stored keys can be read. Reports nothing if they can. */
async function keyFindings({ environment, home }: SetupPlace): Promise<readonly Finding[]> {
  const file = join(dataFolder(environment, home), "credentials.json");
  try {
    await createCredentials(file).read();
    return [];
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    const fix = "repair the file, or remove it and run: holdfast connect";
    return [fail("keys", error.problem, fix)];
  }
}

async function configFindings(holdfast: Holdfast, directory: string): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  // The notices of the project include those of the user's config.
  const reported = new Set<string>();
  for (const scope of ["user", "project"] as const) {
    const { file, text, notices } = await holdfast.config.get({ scope, directory });
    const option = scope === "user" ? " --user" : "";
    const fix = `edit the file, then run: holdfast config${option} --check`;
    let isOk = text !== null;
    for (const notice of notices) {
      const at = [notice.file ?? file, notice.line, notice.column].filter((part) => part !== null);
      const problem = `${at.join(":")}: ${notice.key === null ? "" : `${notice.key}: `}${notice.message}`;
      if (reported.has(problem)) continue;
      reported.add(problem);
      isOk = false;
      findings.push((notice.severity === "error" ? fail : warn)("config", problem, fix));
    }
    if (isOk) findings.push(ok("config", file));
  }
  return findings.length > 0 ? findings : [ok("config", "no config file; the defaults apply")];
}

const noList = "does not list its models";

async function modelFindings(
  holdfast: Holdfast,
  { items, directory }: { items: readonly Provider[]; directory: string },
): Promise<readonly Finding[]> {
  if (items.length === 0) return [warn("models", "no model is connected", connectAdvice)];
  return Promise.all(
    items.map(async ({ name }) => {
      const { works, problem, field } = await holdfast.providers.test(name, { directory });
      if (works) return ok("models", `${name} works`);
      // Only a prompt can test a key if the provider has no list of models and no default model.
      if (problem?.includes(noList) === true) return unknown("models", `${name}: ${problem}`);
      const advice =
        field === "baseUrl"
          ? "check the network connection, and the address that `holdfast providers` shows"
          : `holdfast connect ${name} stores a new key`;
      const fix = `${advice}; holdfast providers test ${name} checks it again`;
      return fail("models", `${name} does not work: ${problem ?? "unknown problem"}`, fix);
    }),
  );
}

/** Reports the default model. Warns if its provider shuts the model down soon. */
async function endFinding(place: SetupPlace): Promise<readonly Finding[]> {
  const { model, problem } = await readModelStatus(place);
  if (problem !== null) {
    const fix =
      "choose another model: holdfast models lists them, and `model` in your config sets the default";
    return [warn("default model", problem, fix)];
  }
  return model === null ? [] : [ok("default model", model)];
}

/** Reports the state of each MCP server. Throws with the reason if the directory is not loaded. */
export async function mcpFindings(
  holdfast: Holdfast,
  directory: string,
): Promise<readonly Finding[]> {
  const { mcp, generation, notices } = await holdfast.workspaces.get(directory);
  if (generation === null) {
    const errors = notices.filter(({ severity }) => severity === "error");
    const reason = errors.map(({ message }) => message).join("; ");
    // A directory that was closed during the request has no notice.
    throw new Error(reason || "the directory is not loaded; run `holdfast doctor` again");
  }
  if (mcp.length === 0) return [ok("MCP", "no server is configured")];
  return mcp.map(({ name, status, problem, tools }) => {
    if (status === "connected") return ok("MCP", `${name}: ${tools.length} tools`);
    const text = `${name}: ${problem ?? status}`;
    const fix = `holdfast mcp shows its output; holdfast mcp restart ${name} starts it again`;
    return status === "failed" ? fail("MCP", text, fix) : warn("MCP", text, fix);
  });
}
