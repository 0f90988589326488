import type { McpServerConfig } from "../../agent/mcp/config.ts";
import type { OAuthSettings } from "../../agent/mcp/oauth/sign-ins.ts";
import { milliseconds } from "./duration.ts";
import type { McpEntry } from "./file-schema.ts";
import { pathFrom } from "./read-file.ts";
import { hasReference } from "./references.ts";
import type { Resolving } from "./resolving.ts";
import { checkAddress, checkHeaders } from "./resolving.ts";

/** Resolves the settings of the enabled MCP servers. */
export async function resolveMcp(
  entries: Readonly<Record<string, McpEntry>> = {},
  resolving: Resolving,
): Promise<ReadonlyMap<string, McpServerConfig>> {
  const servers = new Map<string, McpServerConfig>();
  for (const [name, entry] of Object.entries(entries)) {
    if (entry.enabled === false) continue;
    const server = await resolveServer(name, entry, resolving);
    if (server !== null) servers.set(name, server);
  }
  return servers;
}

async function resolveServer(
  name: string,
  entry: McpEntry,
  resolving: Resolving,
): Promise<McpServerConfig | null> {
  const path = ["mcp", name];
  const type = entry.type ?? (entry.command === undefined ? "http" : "stdio");
  const timeout = milliseconds(entry.timeout) ?? null;
  const foreign =
    type === "stdio"
      ? (["url", "headers", "oauth"] as const)
      : (["command", "env", "cwd"] as const);
  for (const key of foreign) {
    const value = entry[key];
    const isEmpty = value === undefined || Object.keys(value).length === 0;
    if (isEmpty) continue;
    const other = type === "stdio" ? "http" : "stdio";
    resolving.error([...path, key], `belongs to a server of type "${other}", not "${type}"`);
  }
  if (type === "stdio") {
    const { command, cwd = "." } = entry;
    if (command === undefined) {
      const example = '"command": ["npx", "-y", "the-server"]';
      resolving.error(path, `needs a program to start, such as ${example}`);
      return null;
    }
    command.forEach((word, index) => {
      if (!hasReference(word)) return;
      const advice =
        "every user of this machine can see command arguments; put the secret into env";
      resolving.warn([...path, "command", index], `references are not replaced here: ${advice}`);
    });
    const env = await resolving.secretEntries([...path, "env"], entry.env);
    for (const [variable, value] of Object.entries(env)) {
      const own = [...path, "env", variable];
      if (!/^[A-Za-z_]\w*$/.test(variable)) resolving.error(own, "is not a valid variable name");
      if (value.includes("\0")) resolving.error(own, "must not contain a NUL character");
    }
    const { directory, home } = resolving;
    return { type, command, env, cwd: pathFrom(cwd, { folder: directory, home }), timeout };
  }
  if (entry.url === undefined) {
    const advice = '"command": [ … ] to start a program, or "url" to connect to a server';
    resolving.error(path, `needs ${advice}`);
    return null;
  }
  const url = await resolving.secret([...path, "url"], entry.url);
  const headers = await resolving.secretEntries([...path, "headers"], entry.headers);
  checkHeaders([...path, "headers"], headers, resolving);
  if (url === null || !checkAddress([...path, "url"], url, resolving)) return null;
  const oauth =
    entry.oauth === undefined ? {} : { oauth: await resolveOAuth(path, entry.oauth, resolving) };
  return { type, url, headers, ...oauth, timeout };
}

async function resolveOAuth(
  path: readonly string[],
  entry: NonNullable<McpEntry["oauth"]>,
  resolving: Resolving,
): Promise<OAuthSettings> {
  const { clientId = null, scope = null, clientMetadataUrl = null } = entry;
  const own = [...path, "oauth"];
  const { clientSecret: written } = entry;
  const secrets = written === undefined ? {} : { clientSecret: written };
  const { clientSecret = null } = await resolving.secretEntries(own, secrets);
  if (clientSecret !== null && clientId === null) {
    resolving.error([...own, "clientId"], "is needed with a clientSecret");
  }
  return { clientId, clientSecret, scope, clientMetadataUrl };
}
