import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { writePrivateFile } from "./security/token-file.ts";

/** Where a server is, for programs of its owner. */
export interface Discovery {
  readonly url: string;
  readonly pid: number;
  readonly startedAt: number;
  /** Where the owner's token is. */
  readonly tokenFile: string;
  /** Known to the server and to who may read the file: see `prove`. */
  readonly secret: string;
}

/** Beside the database that it works on; a database server's is among the owner's data. */
export function discoveryFile(place: { store: string; dataFolder: string }): string {
  const { store, dataFolder } = place;
  if (!store.includes("://")) return `${store}.server.json`;
  const name = createHmac("sha256", "store").update(store).digest("hex").slice(0, 16);
  return `${dataFolder}/${name}.server.json`;
}

export function announce(file: string, discovery: Discovery): void {
  writePrivateFile(file, `${JSON.stringify(discovery, null, 2)}\n`);
}

/** Takes it back, unless another server has announced itself meanwhile. */
export function withdraw(file: string, pid: number): void {
  if (readDiscovery(file)?.pid === pid) rmSync(file, { force: true });
}

/** What the file says, which may long be over; null when there is none that makes sense. */
export function readDiscovery(file: string): Discovery | null {
  try {
    return parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
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
  const { url, pid, startedAt, tokenFile, secret } = value ?? {};
  const isWhole =
    typeof url === "string" &&
    typeof pid === "number" &&
    typeof startedAt === "number" &&
    typeof tokenFile === "string" &&
    typeof secret === "string";
  return isWhole ? { url, pid, startedAt, tokenFile, secret } : null;
}
