import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { networkInterfaces } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { sleep } from "../base/time.ts";
import { writePrivateFile } from "../base/private-file.ts";
import { isLoopback } from "./security/source.ts";

/** Content of a discovery file: the address of a running server, for programs of the same user. */
export interface Discovery {
  readonly url: string;
  readonly pid: number;
  readonly startedAt: number;
  /** True if clients may start a new server after this one has crashed. */
  readonly isBackground: boolean;
  /** Secret known to the server and to every program that may read this file. See `prove`. */
  readonly secret: string;
}

/** A server that has answered and proved its identity. */
export interface FoundServer extends Discovery {
  readonly version: string;
}

/**
 * Returns the path of the file that announces the server of a store. The file is always in the data folder, where only
 * the owner can write. In the folder of the store, a cloned repository could contain such a file and name a hostile
 * server.
 */
export function discoveryFile(place: { store: string; dataFolder: string }): string {
  const { store, dataFolder } = place;
  const isFile = !store.includes("://");
  const real = isFile ? join(realFolder(dirname(store)), basename(store)) : store;
  if (isFile && dirname(real) === realFolder(dataFolder)) return `${store}.server.json`;
  const name = createHmac("sha256", "store").update(real).digest("hex").slice(0, 16);
  return join(dataFolder, `${name}.server.json`);
}

/**
 * Lists the files that may announce the server of a store: in the reader's data folder, or in the folder of the store.
 */
export function discoveryFiles(place: { store: string; dataFolder: string }): readonly string[] {
  const dataFolder = dirname(place.store);
  const isFile = !place.store.includes("://");
  const elsewhere = isFile ? [discoveryFile({ ...place, dataFolder })] : [];
  return [...new Set([discoveryFile(place), ...elsewhere])];
}

/** Returns the path of the token file for the server that a discovery file names. Both are in the same folder. */
export function tokenFileFor(file: string): string {
  return join(dirname(file), "token");
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

export function announce(file: string, discovery: Discovery): Promise<void> {
  return writePrivateFile(file, `${JSON.stringify(discovery, null, 2)}\n`);
}

/** Deletes the discovery file, unless another server has replaced it. */
export function withdraw(file: string, pid: number): void {
  if (readDiscovery(file)?.pid === pid) rmSync(file, { force: true });
}

/**
 * Reads a discovery file. Returns null if the file is missing, invalid or not trustworthy. The server that it names may
 * have ended.
 */
export function readDiscovery(file: string): Discovery | null {
  try {
    if (!isOwnFile(file)) return null;
    const found = parse(JSON.parse(readFileSync(file, "utf8")));
    return found !== null && isHere(found.url) ? found : null;
  } catch {
    return null;
  }
}

/** True if this user owns the file and its folder, and no other user can write there. */
function isOwnFile(file: string): boolean {
  const [own, folder] = [lstatSync(file), statSync(dirname(file))];
  if (!own.isFile()) return false;
  if (process.platform === "win32") return true;
  const user = process.getuid?.();
  return own.uid === user && (own.mode & 0o077) === 0 && isClosed(folder, user);
}

/** True if this user owns the folder and no other user can write to it. */
export function isPrivateFolder(folder: string): boolean {
  return process.platform === "win32" || isClosed(statSync(folder), process.getuid?.());
}

function isClosed({ uid, mode }: Stats, user: number | undefined): boolean {
  return uid === user && (mode & 0o022) === 0;
}

/** True if the address belongs to this machine. A discovery file with any other address is ignored. */
function isHere(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || isLoopback(host)) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some(({ address }) => address === host);
}

/**
 * True if the file still names this server and its process exists. This is weaker than `findServer`, but sends no
 * request, so it can be called before each request.
 */
export function isAnnounced(file: string, { pid, secret }: Discovery): boolean {
  return readDiscovery(file)?.secret === secret && isRunning(pid);
}

/** True if a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Waits until no process with this id exists. Returns false if one still exists after this time in milliseconds. */
export async function hasEnded(pid: number, within: number): Promise<boolean> {
  for (const since = performance.now(); performance.now() - since < within;) {
    if (!isRunning(pid)) return true;
    await sleep(20);
  }
  return false;
}

/** True if the file names a background server whose process has ended without deleting the file. */
export function hasCrashed(file: string): boolean {
  const named = readDiscovery(file);
  return named !== null && named.isBackground && !isRunning(named.pid);
}

/** True if there is no file, or if the process that the file names has ended. */
export function isEnded(file: string): boolean {
  const named = readDiscovery(file);
  return named === null || !isRunning(named.pid);
}

/** Returns the server that the file names, if it answers and proves that it knows the file's secret; otherwise null. */
export async function findServer(
  file: string,
  options: { fetch?: typeof fetch; timeout?: number } = {},
): Promise<FoundServer | null> {
  const found = readDiscovery(file);
  if (found === null) return null;
  const { fetch: send = fetch, timeout = 2_000 } = options;
  const nonce = randomBytes(18).toString("base64url");
  try {
    const answer = await send(`${found.url}/healthz?nonce=${nonce}`, {
      signal: AbortSignal.timeout(timeout),
      redirect: "error",
    });
    const health: unknown = await answer.json();
    if (!isProof(health, prove(found.secret, nonce))) return null;
    return { ...found, version: versionIn(health) };
  } catch {
    return null;
  }
}

/**
 * Returns a proof that a server knows the secret of its discovery file. After a crash, a process of another user may
 * listen on the port, so clients send no token to a server without this proof.
 */
export function prove(secret: string, nonce: string): string {
  return createHmac("sha256", secret).update(nonce).digest("base64url");
}

function versionIn(health: unknown): string {
  const isNamed = typeof health === "object" && health !== null && "version" in health;
  return isNamed ? String(health.version) : "unknown";
}

function isProof(health: unknown, expected: string): boolean {
  if (typeof health !== "object" || health === null || !("proof" in health)) return false;
  const [one, other] = [Buffer.from(String(health.proof)), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

// Parses the file without a schema library: every start of the CLI reads this file, and loading the library is slow.
function parse(value: Partial<Record<keyof Discovery, unknown>> | null): Discovery | null {
  const { url, pid, startedAt, secret, isBackground = false } = value ?? {};
  const isWhole =
    typeof url === "string" &&
    typeof pid === "number" &&
    typeof startedAt === "number" &&
    typeof isBackground === "boolean" &&
    typeof secret === "string";
  return isWhole ? { url, pid, startedAt, isBackground, secret } : null;
}
