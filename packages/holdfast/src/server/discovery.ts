import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { writePrivateFile } from "./security/token-file.ts";

const entry = z.object({
  url: z.string(),
  pid: z.int(),
  startedAt: z.number(),
  /** Where the owner's token is. */
  tokenFile: z.string(),
  /** Known to the server and to who may read the file: see `prove`. */
  secret: z.string(),
});

/** Where a server is, for programs of its owner. */
export type Discovery = Readonly<z.infer<typeof entry>>;

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
    return entry.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
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
    const { proof } = health.parse(await answer.json());
    return proof !== null && isSame(proof, prove(found.secret, nonce)) ? found : null;
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

const health = z.object({ proof: z.string().nullable() });

function isSame(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
