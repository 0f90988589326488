import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { z } from "zod";
import { expectedPaths, thisPlatform } from "./agent-packages.ts";
import type { PinnedPackages } from "./agent-packages.ts";
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
  /** The agent's package and all its dependencies. */
  readonly packages: PinnedPackages;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly progress: (message: string) => void;
}

/**
 * Installs an agent from npm: exactly the pinned packages, each with its version and digest. Install scripts do not
 * run. An earlier installation is replaced only after the new one is complete.
 */
export async function installAgent(
  agent: KnownAgent,
  options: InstallOptions,
): Promise<InstalledAgent> {
  const wanted = agent.package;
  if (wanted === null) {
    throw new InstallError(`${agent.title} is not on npm. To use it, ${agent.advice}.`);
  }
  const { folder, packages, progress } = options;
  const { name: packageName, version, native } = wanted;
  const root = `node_modules/${packageName}`;
  const pinned = packages[root];
  if (pinned?.version !== version) {
    throw new Error(`${packageName}@${version} is not pinned; run npm run generate:agents`);
  }
  const program = join("node_modules", programOf(wanted));
  const half = join(folder, `.${agent.name}-${process.pid}`);
  const place = join(folder, agent.name);
  await mkdir(half, { recursive: true, mode: 0o700 });
  try {
    await writeProject(half, { packageName, version, packages });
    progress(`downloading ${packageName}@${version}`);
    await npmInstall(`${packageName}@${version}`, { half, environment: options.environment });
    await checkInstalled(half, { root, packages });
    await stat(join(half, program)).catch(() => {
      throw new InstallError(
        `This release of Holdfast cannot install ${agent.title} for ${process.platform} on ${process.arch}. ` +
          `Install it yourself, and put ${agent.program} on the PATH: npm install --global ${packageName}@${version}`,
      );
    });
    const record: InstalledAgent = {
      name: agent.name,
      package: packageName,
      version,
      integrity: pinned.integrity,
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

/** Writes the files from which `npm ci` installs the packages. They name no registry, so npm uses the configured one. */
async function writeProject(
  half: string,
  project: { packageName: string; version: string; packages: PinnedPackages },
): Promise<void> {
  const dependencies = { [project.packageName]: project.version };
  const lock = { lockfileVersion: 3, packages: { "": { dependencies }, ...project.packages } };
  await writeFile(join(half, "package.json"), JSON.stringify({ private: true, dependencies }));
  await writeFile(join(half, "package-lock.json"), JSON.stringify(lock));
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

/** Runs npm with the Node of Holdfast, because the agent runs with this Node too. */
async function npmInstall(
  wanted: string,
  { half, environment }: { half: string; environment: InstallOptions["environment"] },
): Promise<void> {
  const path = environment["PATH"] ?? "";
  const found = await findProgram("npm", path);
  if (found === null)
    throw new InstallError("npm is not on the PATH. Install npm, then try again.");
  const npm = await realpath(found);
  const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
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
  // npm names the expected and the found digest, but not the package.
  if (/\bEINTEGRITY\b/.test(printed)) throw mismatch(`A package of ${wanted}`);
  const lines = printed.split("\n").filter((line) => /^npm (?:error|ERR!)/.test(line));
  throw new InstallError(`npm could not install ${wanted}: ${lines.slice(0, 3).join("; ")}`);
}

const installedLock = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
});

/**
 * Compares the list of packages that npm has installed with the pinned packages. npm leaves out an optional package
 * without an error if its digest is wrong; the program of an agent can be such a package.
 */
async function checkInstalled(
  half: string,
  { root, packages }: { root: string; packages: PinnedPackages },
): Promise<void> {
  const list = await readFile(join(half, "node_modules", ".package-lock.json"), "utf8").catch(
    () => {
      throw new InstallError("npm is too old. Install npm 7 or later, then try again.");
    },
  );
  const installed = installedLock.parse(JSON.parse(list)).packages;
  for (const [path, { version, integrity }] of Object.entries(installed)) {
    const pinned = packages[path];
    const isPinned = pinned !== undefined && pinned.integrity === integrity;
    if (isPinned && pinned.version === version) continue;
    throw mismatch(nameOf(path, version));
  }
  const expected = expectedPaths(root, { packages, platform: thisPlatform() });
  const missing = [...expected].find((path) => !(path in installed));
  if (missing !== undefined) throw mismatch(nameOf(missing, packages[missing]?.version));
}

function nameOf(path: string, version = "unknown"): string {
  return `${path.replace(/^.*node_modules\//, "")}@${version}`;
}

function mismatch(what: string): InstallError {
  return new InstallError(
    `${what} from the registry does not match the checksum in this release of Holdfast, or is missing. ` +
      "Nothing was installed. Check the registry that npm uses: npm config get registry",
  );
}
