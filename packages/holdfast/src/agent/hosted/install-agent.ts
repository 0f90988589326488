import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { z } from "zod";
import { findProgram, recordFile } from "./find-agent.ts";
import type { InstalledAgent } from "./find-agent.ts";
import type { KnownAgent } from "./known-agents.ts";

/** Thrown if an agent cannot be installed. The message says what to do. */
export class InstallError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InstallError";
  }
}

export interface InstallOptions {
  /** Folder that contains the installed agents. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly progress: (message: string) => void;
}

/**
 * Installs an agent from npm at an exact version and checks its integrity hash. Install scripts do not run. An earlier
 * installation is replaced only after the new one is complete.
 */
export async function installAgent(
  agent: KnownAgent,
  options: InstallOptions,
): Promise<InstalledAgent> {
  const wanted = agent.package;
  if (wanted === null) {
    throw new InstallError(`${agent.title} is not on npm. To use it, ${agent.advice}.`);
  }
  const { folder, progress } = options;
  const half = join(folder, `.${agent.name}-${process.pid}`);
  const place = join(folder, agent.name);
  await mkdir(half, { recursive: true, mode: 0o700 });
  try {
    await writeFile(join(half, "package.json"), JSON.stringify({ private: true }));
    progress(`downloading ${wanted.name}@${wanted.version}`);
    await npmInstall(`${wanted.name}@${wanted.version}`, {
      half,
      environment: options.environment,
    });
    await checkIntegrity(half, wanted);
    const program = join("node_modules", programOf(wanted));
    await stat(join(half, program)).catch(() => {
      throw new InstallError(
        `${wanted.name} has no program for ${process.platform} on ${process.arch}.`,
      );
    });
    const { name: packageName, version, integrity, native } = wanted;
    const record: InstalledAgent = {
      name: agent.name,
      package: packageName,
      version,
      integrity,
      program,
      node: native !== true,
    };
    await writeFile(join(half, recordFile), `${JSON.stringify(record, null, 2)}\n`);
    await rm(place, { recursive: true, force: true });
    await rename(half, place);
    return record;
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}

/** Removes an installed agent. Returns false if it is not installed. */
export async function removeAgent(name: string, folder: string): Promise<boolean> {
  const place = join(folder, name);
  const isThere = await stat(join(place, recordFile)).then(
    () => true,
    () => false,
  );
  await rm(place, { recursive: true, force: true });
  return isThere;
}

function programOf({ program }: NonNullable<KnownAgent["package"]>): string {
  return program.replaceAll("{platform}", process.platform).replaceAll("{arch}", process.arch);
}

/** Runs npm with the Node of Holdfast, because npm under an old Node picks old releases of dependencies. */
async function npmInstall(
  wanted: string,
  { half, environment }: { half: string; environment: InstallOptions["environment"] },
): Promise<void> {
  const path = environment["PATH"] ?? "";
  const found = await findProgram("npm", path);
  if (found === null)
    throw new InstallError("npm is not on the PATH. Install npm, then try again.");
  const npm = await realpath(found);
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", wanted];
  const isScript = npm.endsWith(".js");
  const child = spawn(isScript ? process.execPath : npm, isScript ? [npm, ...words] : words, {
    cwd: half,
    env: { ...environment, PATH: `${dirname(process.execPath)}${delimiter}${path}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => {
    printed = `${printed}${chunk.toString()}`.slice(-4_000);
  });
  const [code]: unknown[] = await once(child, "close");
  if (code === 0) return;
  const lines = printed.split("\n").filter((line) => /^npm (?:error|ERR!)/.test(line));
  throw new InstallError(`npm could not install ${wanted}: ${lines.slice(0, 3).join("; ")}`);
}

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
});

/** Compares the downloaded package with the version and the integrity hash that are built into Holdfast. */
async function checkIntegrity(
  half: string,
  { name, version, integrity }: NonNullable<KnownAgent["package"]>,
): Promise<void> {
  const text = await readFile(join(half, "package-lock.json"), "utf8");
  const entry = lockSchema.parse(JSON.parse(text)).packages[`node_modules/${name}`];
  if (entry?.version === version && entry.integrity === integrity) return;
  throw new InstallError(
    `${name}@${version} from the registry does not match the checksum in this release of Holdfast. ` +
      "It was not installed. Check the registry that npm uses.",
  );
}
