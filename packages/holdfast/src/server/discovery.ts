import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { networkInterfaces } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { writePrivateFile } from "../base/private-file.ts";
import { isLoopback } from "./security/source.ts";

/** Where a server is, for programs of its owner. */
export interface Discovery {
  readonly url: string;
  readonly pid: number;
  readonly startedAt: number;
  /** Known to the server and to who may read the file: see `prove`. */
  readonly secret: string;
}

/**
 * In the data folder, which only its owner can write to. A file beside a store elsewhere could come with
 * a repository, and would be believed.
 */
export function discoveryFile(place: { store: string; dataFolder: string }): string {
  const { store, dataFolder } = place;
  const isFile = !store.includes("://");
  const real = isFile ? join(realFolder(dirname(store)), basename(store)) : store;
  if (isFile && dirname(real) === realFolder(dataFolder)) return `${store}.server.json`;
  const name = createHmac("sha256", "store").update(real).digest("hex").slice(0, 16);
  return join(dataFolder, `${name}.server.json`);
}

/** Where to look for a server: its data folder is the reader's, or else the one that its store is in. */
export function discoveryFiles(place: { store: string; dataFolder: string }): readonly string[] {
  const dataFolder = dirname(place.store);
  const isFile = !place.store.includes("://");
  const elsewhere = isFile ? [discoveryFile({ ...place, dataFolder })] : [];
  return [...new Set([discoveryFile(place), ...elsewhere])];
}

/** The token for the server that a file names: always the one in the same folder. */
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

/** Takes it back, unless another server has announced itself meanwhile. */
export function withdraw(file: string, pid: number): void {
  if (readDiscovery(file)?.pid === pid) rmSync(file, { force: true });
}

/** What the file says, which may long be over; null when there is none that makes sense. */
export function readDiscovery(file: string): Discovery | null {
  try {
    if (!isOwnFile(file)) return null;
    const found = parse(JSON.parse(readFileSync(file, "utf8")));
    return found !== null && isHere(found.url) ? found : null;
  } catch {
    return null;
  }
}

/** Written by this user, into a folder of this user's, where nobody else could have put it. */
function isOwnFile(file: string): boolean {
  const [own, folder] = [lstatSync(file), statSync(dirname(file))];
  if (!own.isFile()) return false;
  if (process.platform === "win32") return true;
  const user = process.getuid?.();
  return own.uid === user && (own.mode & 0o077) === 0 && isClosed(folder, user);
}

function isClosed({ uid, mode }: Stats, user: number | undefined): boolean {
  return uid === user && (mode & 0o022) === 0;
}

/** Whether an address leads to this machine: nothing else is announced by a file. */
function isHere(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || isLoopback(host)) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some(({ address }) => address === host);
}

/**
 * Whether the file still names this very server and its process is there: no proof as in `findServer`,
 * but it asks nobody, so that it can be looked at before each request.
 */
export function isAnnounced(file: string, { pid, secret }: Discovery): boolean {
  return readDiscovery(file)?.secret === secret && isProcess(pid);
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // One of another user is there, and may not be signalled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The server that the file names, if it answers and is that very one; null else. */
export async function findServer(
  file: string,
  options: { fetch?: typeof fetch; timeout?: number } = {},
): Promise<Discovery | null> {
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
    return isProof(health, prove(found.secret, nonce)) ? found : null;
  } catch {
    return null;
  }
}

/**
 * Shows that a server knows the secret of the file. After a crash another user may have taken its
 * port: nobody sends a token to who can't answer this.
 */
export function prove(secret: string, nonce: string): string {
  return createHmac("sha256", secret).update(nonce).digest("base64url");
}

function isProof(health: unknown, expected: string): boolean {
  if (typeof health !== "object" || health === null || !("proof" in health)) return false;
  const [one, other] = [Buffer.from(String(health.proof)), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

// By hand: every start of the command line reads this file, and a schema library takes its time.
function parse(value: Partial<Record<keyof Discovery, unknown>> | null): Discovery | null {
  const { url, pid, startedAt, secret } = value ?? {};
  const isWhole =
    typeof url === "string" &&
    typeof pid === "number" &&
    typeof startedAt === "number" &&
    typeof secret === "string";
  return isWhole ? { url, pid, startedAt, secret } : null;
}
