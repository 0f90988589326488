import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findClient } from "./client.ts";
import type { Client, ClientPlace } from "./client.ts";

/**
 * For commands about what runs work with: a server, or this process where there is none. They need
 * no sessions, so whoever works on the store meanwhile is left alone.
 */
export async function openSettings(place: ClientPlace): Promise<Client> {
  return (await findClient(place)) ?? ownSettings(place);
}

function onError(error: unknown): void {
  process.emitWarning(String(error));
}

async function ownSettings({ environment, home }: ClientPlace): Promise<Client> {
  // Loaded only where there is no server: most of the start would be spent on it.
  const [{ onRuntime }, { openSetup }, { settingsPorts }, { createRuntime }] = await Promise.all([
    import("./in-process.ts"),
    import("./setup.ts"),
    import("./settings-ports.ts"),
    import("../runtime/runtime.ts"),
  ]);
  const folder = await mkdtemp(join(tmpdir(), "holdfast-settings-"));
  const store = join(folder, "holdfast.db");
  const setup = await openSetup({ model: null, environment, home, watch: false, onError });
  const { agent, host: workspaces, redact, secrets } = setup;
  const end = async (): Promise<void> => {
    await setup.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const options = {
      agent,
      store,
      workspaces,
      redact,
      secrets,
      onError,
      maxRuns: 0,
      titles: false,
    };
    const runtime = await createRuntime(options);
    setup.attach(runtime);
    const holdfast = await onRuntime(runtime, { onError, redact, ports: settingsPorts(setup) });
    const close = async (): Promise<void> => {
      await holdfast.close();
      await end();
    };
    return { holdfast, url: null, close };
  } catch (error) {
    await end();
    throw error;
  }
}
