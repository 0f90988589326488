import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findClient, idleClient } from "./client.ts";
import type { Client, ClientPlace } from "./client.ts";
import { openStore } from "./stores.ts";

/**
 * For commands about what runs work with: a server, or this process where there is none. They need
 * no sessions, so whoever works on the store meanwhile is left alone.
 */
export async function openSettings(place: ClientPlace): Promise<Client> {
  const found = await findClient(place);
  if (found !== null) return found;
  const folder = await mkdtemp(join(tmpdir(), "holdfast-settings-"));
  const forget = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const client = await idleClient(await openStore(join(folder, "holdfast.db")), "none");
    const close = async (): Promise<void> => {
      await client.close();
      await forget();
    };
    return { ...client, close };
  } catch (error) {
    await forget();
    throw error;
  }
}

/** What a config may hold, for editors; in a clone and in the package alike. */
export const configSchemaFile = join(import.meta.dirname, "../../config.schema.json");
