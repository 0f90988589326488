import { createServer } from "node:http";
import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { programVersion } from "../../base/package.ts";
import { defaultPort } from "../../server/listen.ts";
import { findServerClient } from "../server-client.ts";
import { sandboxStatus, sandboxText } from "../sandbox-status.ts";
import { configFolder, dataFolder } from "../stores.ts";
import type { SetupPlace } from "./check-setup.ts";
import { fail, ok, warn } from "./finding.ts";
import type { Check, Finding } from "./finding.ts";

/** Returns the checks of this machine. They need no network. */
export function machineChecks(place: SetupPlace): readonly Check[] {
  return [
    { subject: "Node", run: () => Promise.resolve([nodeFinding()]) },
    { subject: "sandbox", run: async () => [await sandboxFinding()] },
    { subject: "disk", run: async () => [await diskFinding(place)] },
    { subject: "files", run: () => fileFindings(place) },
    { subject: "server", run: async () => [await serverFinding(place)] },
  ];
}

const oldestNode = 24;

function nodeFinding(): Finding {
  const { version, execPath } = process;
  const major = Number(version.slice(1).split(".")[0]);
  const text = `${version} at ${execPath}`;
  return major >= oldestNode
    ? ok("Node", text)
    : fail("Node", text, `install Node ${oldestNode} or later`);
}

async function sandboxFinding(): Promise<Finding> {
  const status = await sandboxStatus();
  if (status.name !== null) return ok("sandbox", sandboxText(status));
  const advice = "solve the problem above; docs/TOOLS.md explains the sandbox";
  return warn("sandbox", sandboxText(status), advice);
}

const [little, veryLittle] = [1e9, 1e8];

/** Checks the free space of the disk that has the database. */
async function diskFinding({ store, environment, home }: SetupPlace): Promise<Finding> {
  const isFile = !store.includes("://");
  const folder = await existing(isFile ? dirname(store) : dataFolder(environment, home));
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${amount(free)} free at ${folder}`;
  const fix = "free some space, or delete old sessions: holdfast store tidy";
  if (free < veryLittle) return fail("disk", text, fix);
  return free < little ? warn("disk", text, fix) : ok("disk", text);
}

function amount(bytes: number): string {
  return bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${Math.floor(bytes / 1e9)} GB`;
}

/** Returns the folder, or its nearest parent that exists: before the first start there is no data folder. */
async function existing(folder: string): Promise<string> {
  try {
    await stat(folder);
    return folder;
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : existing(above);
  }
}

/** Checks that other users can neither read the files with secrets nor change the config files. */
async function fileFindings({ environment, home }: SetupPlace): Promise<readonly Finding[]> {
  if (process.platform === "win32") return [];
  const [data, config] = [dataFolder(environment, home), configFolder(environment, home)];
  const secret = [data, join(data, "token"), join(data, "credentials.json")];
  const trusted = [config, join(config, "config.jsonc"), join(config, "config.json")];
  const found = await Promise.all([
    ...secret.map((path) => openTo(path, { mask: 0o077, fix: `chmod go-rwx` })),
    ...trusted.map((path) => openTo(path, { mask: 0o022, fix: `chmod go-w` })),
  ]);
  const problems = found.filter((finding) => finding !== null);
  return problems.length > 0 ? problems : [ok("files", "only you can read your keys")];
}

async function openTo(
  path: string,
  { mask, fix }: { mask: number; fix: string },
): Promise<Finding | null> {
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  const own = process.getuid?.();
  if (found.uid !== own) {
    return fail("files", `${path} belongs to another user`, `run: sudo chown $(id -u) '${path}'`);
  }
  if ((found.mode & mask) === 0) return null;
  const others = mask === 0o022 ? "other users can change" : "other users can open";
  const mode = (found.mode & 0o777).toString(8);
  return fail("files", `${others} ${path} (mode ${mode})`, `run: ${fix} '${path}'`);
}

/** Checks the running server. If none is running, checks whether one could listen. */
async function serverFinding(place: SetupPlace): Promise<Finding> {
  const client = await findServerClient({ ...place, server: "" });
  if (client === null) return portFinding(defaultPort);
  await using found = client;
  const { version } = await found.holdfast.health();
  const text = `version ${version} is running at ${found.url}`;
  if (version === programVersion()) return ok("server", text);
  const advice =
    "stop it when it is idle: holdfast server stop. The next command starts the new version";
  return warn("server", `${text}; this command has version ${programVersion()}`, advice);
}

/** Tries to listen on a port of this machine. */
export async function portFinding(port: number): Promise<Finding> {
  const server = createServer();
  const code = await new Promise<string | null>((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host: "127.0.0.1", port }, () => resolve(null));
  });
  await new Promise((resolve) => server.close(resolve));
  if (code === null) return ok("server", `none is running; port ${port} is free`);
  if (code === "EADDRINUSE") {
    return ok(
      "server",
      `none is running; another program uses port ${port}, so the next free port is used`,
    );
  }
  const advice = "allow programs to listen on 127.0.0.1";
  return fail("server", `port ${port} of 127.0.0.1 cannot be used: ${code}`, advice);
}
