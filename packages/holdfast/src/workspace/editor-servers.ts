import { z } from "zod";
import type { McpServerConfig } from "../agent/mcp/config.ts";
import { isHarmless } from "../agent/tools/environment.ts";
import { createMutex } from "../base/serial.ts";
import { digestOf } from "./config/canonical.ts";
import { namePattern } from "./config/names.ts";
import { readPrivateJson } from "./private-json.ts";

/**
 * MCP servers that editors send with their sessions. A server is used in a directory only after a person has consented
 * to its exact command there. Servers and consents are stored in a file that only its owner can read.
 */
export interface EditorServers {
  /** Returns the servers with consent in a directory, and the secret values of their variables. */
  of(directory: string): Promise<UsedServers>;
  /** Replaces the servers of one editor in a directory. Only servers with consent are stored and used. */
  offer(directory: string, offer: ServerOffer): Promise<OfferAnswer>;
}

export interface EditorServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ServerOffer {
  /** Name of the editor. */
  readonly client: string;
  readonly servers: readonly EditorServer[];
  /** Digests of the servers to which a person has just consented. */
  readonly consents: readonly string[];
}

export interface OfferAnswer {
  readonly items: readonly OfferedServer[];
  /** True if the directory must be loaded again. */
  readonly hasChanged: boolean;
}

export interface OfferedServer {
  /** Name of the server in Holdfast, which may differ from its name in the editor. */
  readonly name: string;
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly digest: string;
  readonly status: "used" | "needsConsent";
  /** Names of the environment variables. Variables that can load other code are listed with their values. */
  readonly variables: readonly string[];
}

export interface UsedServers {
  readonly servers: ReadonlyMap<string, McpServerConfig>;
  readonly secrets: readonly string[];
}

/** Maximum number of stored consents for one directory. The oldest are removed first. */
const maxConsents = 100;

const serverSchema = z.object({
  name: z.string().regex(namePattern),
  command: z.string().min(1),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
});
const entrySchema = z.object({
  consents: z.array(z.string()),
  clients: z.record(z.string(), z.array(serverSchema)),
});
const fileSchema = z.object({
  version: z.literal(1),
  directories: z.record(z.string(), entrySchema),
});
type Entry = z.infer<typeof entrySchema>;
type FileContent = z.infer<typeof fileSchema>;

export function createEditorServers(file: string): EditorServers {
  const mutex = createMutex();
  const read = async (): Promise<FileContent> => {
    const { content } = await readPrivateJson(file);
    // A damaged file grants no consents: people are asked again.
    const parsed = fileSchema.safeParse(content);
    return parsed.success ? parsed.data : { version: 1, directories: {} };
  };
  const change = async (directory: string, offer: ServerOffer): Promise<OfferAnswer> => {
    const content = await read();
    const before = content.directories[directory] ?? { consents: [], clients: {} };
    const servers = withUniqueNames(offer.servers);
    const digests = new Set(servers.map(digestOfServer));
    const given = offer.consents.filter((digest) => digests.has(digest));
    const consents = [...new Set([...before.consents, ...given])].slice(-maxConsents);
    const isUsed = (server: EditorServer): boolean => consents.includes(digestOfServer(server));
    const { [offer.client]: _, ...others } = before.clients;
    const used = servers.filter(isUsed).map((server) => serverSchema.parse(server));
    const clients = used.length === 0 ? others : { ...others, [offer.client]: used };
    const next: Entry = { consents, clients };
    if (digestOf(next) !== digestOf(before)) {
      const directories = { ...content.directories, [directory]: next };
      const { writePrivately } = await import("./settings-file.ts");
      await writePrivately(file, `${JSON.stringify({ version: 1, directories }, null, 2)}\n`);
    }
    return {
      items: servers.map((server) => ({
        name: server.name,
        command: [server.command, ...server.args],
        digest: digestOfServer(server),
        status: isUsed(server) ? "used" : "needsConsent",
        variables: shownVariables(server),
      })),
      hasChanged: digestOf(clients) !== digestOf(before.clients),
    };
  };
  return {
    of: async (directory) => {
      const entry = (await read()).directories[directory];
      const all = Object.values(entry?.clients ?? {}).flat();
      const allowed = all.filter((server) => entry?.consents.includes(digestOfServer(server)));
      return {
        servers: new Map(allowed.map((server) => [server.name, configOf(server, directory)])),
        secrets: allowed.flatMap(secretsIn),
      };
    },
    offer: (directory, offer) =>
      mutex(async () => {
        const { changePrivateFile } = await import("./change-private-file.ts");
        return changePrivateFile(file, () => change(directory, offer));
      }),
  };
}

/**
 * Digest of the name, the command, the names of all variables, and the values of variables that can load other code.
 * Other values are left out: editors pass ports and tokens that change with every start.
 */
function digestOfServer({ name, command, args, env }: EditorServer): string {
  const variables = Object.entries(env).map(
    ([variable, value]) => [variable, loadsCode.test(variable) ? value : null] as const,
  );
  return digestOf([name, command, args, Object.fromEntries(variables)]);
}

/** Environment variables that can make a program load other code or start other programs. */
const loadsCode =
  /^(?:PATH|HOME|SHELL|ENV|BASH_.*|LD_.*|DYLD_.*|NODE_.*|NPM_.*|BUN_.*|DENO_.*|UV_.*|PIP.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|LUA_.*|JAVA.*|_JAVA.*|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|DOTNET_.*|CORECLR_.*|COMPLUS_.*|GIT_.*|GLIBC_.*|GCONV_PATH|.*_PRELOAD|.*_PATH|.*_OPTS|.*_OPTIONS|EDITOR|VISUAL|PAGER|BROWSER)$/i;

function shownVariables({ env }: EditorServer): readonly string[] {
  return Object.entries(env).map(([name, value]) =>
    loadsCode.test(name) ? `${name}=${value}` : name,
  );
}

/** Replaces characters that config names do not allow, and drops a second server with the same name. */
function withUniqueNames(servers: readonly EditorServer[]): readonly EditorServer[] {
  const named = servers.map((server) => [nameOf(server.name), server] as const);
  return [...new Map(named.toReversed())]
    .toReversed()
    .map(([name, { command, args, env }]) => ({ name, command, args, env }));
}

function nameOf(name: string): string {
  const plain = name.replaceAll(/[^\w-]+/g, "-").replace(/^[_-]+/, "");
  return plain === "" ? "editor" : plain.slice(0, 64);
}

function configOf({ command, args, env }: EditorServer, directory: string): McpServerConfig {
  const whole = [command, ...args] as const;
  return { type: "stdio", command: whole, env, cwd: directory, timeout: null, optional: true };
}

function secretsIn({ env }: EditorServer): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (isHarmless(name, value) ? [] : [value]));
}
