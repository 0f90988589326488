import { execFile, spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { endsWithUs } from "./target-process.ts";

/** A program for one platform, as an npm package. */
export interface Packaged {
  /** Package name with version. */
  readonly package: string;
  /** Path of the program in `node_modules`. */
  readonly program: string;
}

/**
 * Returns the path of a product's program. The first call downloads it from npm into a scratch directory. Installs the
 * package for this platform by its name, because npm may skip an optional dependency without an error.
 */
export function installed(wanted: Wanted): Promise<string> {
  const known = asked.get(wanted.name) ?? install(wanted);
  asked.set(wanted.name, known);
  const forget = (): void => void asked.delete(wanted.name);
  known.then(forget, forget);
  return known;
}

export interface Wanted {
  /** Product and version. */
  readonly name: string;
  /** Packages for this platform. The first one whose program runs is used. */
  readonly packages: readonly Packaged[];
  readonly progress: (message: string) => void;
}

/** Downloads in progress in this process. */
const asked = new Map<string, Promise<string>>();

async function install({ name, packages, progress }: Wanted): Promise<string> {
  const machine = `${process.platform}-${process.arch}`;
  if (packages.length === 0) throw new Error(`${name} is not available for ${machine}`);
  const place = join(scratch(), name.replaceAll(/[^\w.]+/g, "-"));
  await othersAreDone(place, progress);
  const found = programIn(place);
  if (found !== null) return found;
  const half = `${place}.${process.pid}`;
  try {
    for (const wanted of packages) {
      rmSync(half, { recursive: true, force: true });
      mkdirSync(half);
      progress(`downloading ${wanted.package} from npm into ${place}`);
      const program = join("node_modules", wanted.program);
      if (await fetched({ wanted, folder: half, progress })) {
        const heard = await promisify(execFile)(join(half, program), ["--version"]).catch(String);
        if (typeof heard !== "string") return takePlace({ half, place, program });
        progress(`${wanted.package} does not run here: ${heard.split("\n", 1)[0]}`);
      }
    }
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  throw new Error(`${name} has no program that runs on this ${machine}`);
}

/** Marker file, written last. Without it, the download is incomplete. */
const note = "program";

function programIn(place: string): string | null {
  const file = join(place, note);
  if (!existsSync(file)) return null;
  const program = join(place, readFileSync(file, "utf8"));
  return existsSync(program) ? program : null;
}

function takePlace(options: { half: string; place: string; program: string }): string {
  const { half, place, program } = options;
  writeFileSync(join(half, note), program);
  const others = programIn(place);
  if (others !== null) return others;
  // `programIn` found no program, so an existing directory is an incomplete download. Remove it.
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) rmSync(place, { recursive: true });
  renameSync(half, place);
  return join(place, program);
}

const patienceMs = 600_000;

/** Waits for another process that downloads the same program. Removes files that a dead process left. */
async function othersAreDone(place: string, progress: (message: string) => void): Promise<void> {
  const folder = resolve(place, "..");
  let told = false;
  for (;;) {
    const halves = readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => path.startsWith(`${place}.`) && /^\d+$/.test(path.slice(place.length + 1)));
    const busy = halves.filter((path) => {
      const since = statSync(path, { throwIfNoEntry: false })?.birthtimeMs;
      const pid = Number(path.slice(place.length + 1));
      if (since !== undefined && Date.now() - since < patienceMs && isAlive(pid)) return true;
      rmSync(path, { recursive: true, force: true });
      return false;
    });
    if (busy.length === 0) return;
    if (!told) progress(`another process is downloading ${place}`);
    told = true;
    await delay(200);
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Returns whether npm could install the package on this platform. Throws if npm fails. */
async function fetched(options: {
  wanted: Packaged;
  folder: string;
  progress: (message: string) => void;
}): Promise<boolean> {
  const { wanted, folder, progress } = options;
  const words = ["--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"];
  // Only the program is needed, so do not run install scripts.
  words.push("--ignore-scripts", "--fetch-retries=1", "--fetch-retry-mintimeout=1000");
  const child = spawn("npm", ["install", ...words, "--prefix", folder, wanted.package], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const giveUp = setTimeout(() => child.kill(), patienceMs);
  const release = child.pid === undefined ? null : endsWithUs(child.pid);
  let heard = "";
  child.stderr.on("data", (data: Buffer) => (heard += data.toString()));
  let seconds = 0;
  const ticker = setInterval(() => {
    seconds += 5;
    progress(`${wanted.package}: ${megabytesIn(folder)} MB after ${seconds} s`);
  }, 5_000);
  const code = await new Promise<number | null>((done) => {
    child.once("error", (error) => {
      heard += error.message;
      done(null);
    });
    child.once("close", done);
  });
  clearInterval(ticker);
  clearTimeout(giveUp);
  release?.();
  if (code === 0) return true;
  if (heard.includes("EBADPLATFORM")) {
    progress(`${wanted.package} is not for this platform`);
    return false;
  }
  throw new Error(`${wanted.package} could not be downloaded: ${whyOf(heard)}`);
}

/** Returns the reason for a failed download, with npm's message. */
function whyOf(heard: string): string {
  const said = heard
    .split("\n")
    .map((line) => line.replace(/^npm (error|ERR!) ?/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("A complete log"));
  const isUnreachable = /E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH)/.test(
    heard,
  );
  const causes = [
    [heard.includes("spawn npm"), "npm is not in the PATH"],
    [isUnreachable, "npm's registry cannot be reached"],
    [/E404|ETARGET/.test(heard), "npm does not have it"],
    [heard.includes("ENOSPC"), "the disk is full"],
  ] as const;
  const cause = causes.find(([applies]) => applies)?.[1] ?? "npm failed";
  return `${cause} (${said.slice(0, 4).join("; ") || "no output"})`;
}

function megabytesIn(folder: string): number {
  const sizes = readdirSync(folder, { recursive: true, encoding: "utf8" }).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6);
}

function scratch(): string {
  const folder = resolve(process.env["HOLDFAST_PEERS"] ?? join(tmpdir(), "holdfast-peers"));
  mkdirSync(folder, { recursive: true });
  return folder;
}
