import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connect } from "@holdfast/sdk";
import type { Ask, Holdfast, SessionHandle, Settled } from "@holdfast/sdk";
import { startModelServer } from "../../../../../../gauntlet/model-server/model-server.ts";
import { openStore } from "../../../../src/compose/stores.ts";
import { examine } from "../../../../src/store/doctor/doctor.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { createScript } from "./script.ts";
import { startVendorServer } from "./vendor-server.ts";
import type { VendorServer } from "./vendor-server.ts";
import type { Installing, Vendor } from "./vendor.ts";

/** Milliseconds that a real agent gets for one step, even on a busy machine. */
export const patience = 180_000;

/** A directory and a scripted model for one agent. Several servers can share both. */
export interface VendorProject {
  readonly directory: string;
  /** Starts a server with its own data folder, and with its own home folder unless another server's name is given. */
  serve(
    name: string,
    options?: { readonly words?: readonly string[]; readonly home?: string },
  ): Promise<VendorServer>;
  /** Words that commands have recorded, in order. */
  acts(): readonly string[];
  /** True if the agent has reached the line `wait WORD` of a prompt. */
  isReached(word: string): boolean;
  /** Resolves when the agent has reached the line `wait WORD` of a prompt. */
  reached(word: string): Promise<void>;
  /** Resolves when the agent can load a session that began before this call. */
  loadable(): Promise<void>;
  /** Ends the line `wait WORD`. */
  release(word: string): void;
  /** Ends all servers and removes the files. */
  close(): Promise<void>;
}

/** A server with one session. */
export interface VendorWorld extends VendorProject {
  readonly vendor: Vendor;
  readonly server: VendorServer;
  readonly holdfast: Holdfast;
  readonly session: SessionHandle;
  /** Waits for an open ask. Null if the prompt is settled without one. */
  ask(promptId: string): Promise<Ask | null>;
  /** Waits for the outcome of a prompt, and releases a pause that the outcome has caused. */
  settled(promptId: string): Promise<Settled>;
  /** Stops the server, and returns the violations that `doctor` finds in its database. */
  examine(): Promise<readonly unknown[]>;
}

export async function openVendorProject(
  vendor: Vendor,
  install: Installing,
  more?: readonly Vendor[],
): Promise<VendorProject> {
  const command = await vendor.command(install);
  const others =
    more &&
    (await Promise.all(
      more.map(async (other) => ({ vendor: other, command: await other.command(install) })),
    ));
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-vendor-")));
  const directory = join(root, "project");
  mkdirSync(directory);
  const model = createScript({
    command: (word, stays) => {
      const acts = join(directory, "acts");
      const act = `echo ${word} | tee -a ${acts}`;
      if (!stays) return act;
      const child = `(setsid tail -f ${acts} > /dev/null 2>&1 &)`;
      return `${act}; ${child}; until [ -e ${join(directory, word)} ]; do sleep 0.1; done`;
    },
    isReleased: (word) => existsSync(join(directory, word)),
  });
  const modelServer = await startModelServer(model.script);
  const servers: VendorServer[] = [];
  const lines = (name: string): readonly string[] => {
    const file = join(directory, name);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  };
  const isReached = (word: string): boolean =>
    model.waiting.has(word) || lines("prompts").some((prompt) => prompt.includes(`wait ${word}`));
  return {
    directory,
    serve: async (name, { words = [], home = name } = {}) => {
      const folder = join(root, name);
      const address = `http://127.0.0.1:${modelServer.port}`;
      const server = await startVendorServer({
        vendor,
        command,
        ...(others === undefined ? {} : { others }),
        folder,
        home: join(root, home, "home"),
        directory,
        model: address,
        words,
      });
      servers.push(server);
      return server;
    },
    acts: () => lines("acts"),
    isReached,
    reached: async (word) => {
      await waitFor(() => isReached(word), {
        describe: `the line "wait ${word}"`,
        limit: patience,
      });
    },
    loadable: async () => {
      if (vendor.loadsLate !== true) return;
      const minute = new Date().getMinutes();
      await waitFor(() => new Date().getMinutes() !== minute, {
        describe: "the next minute",
        limit: patience,
      });
    },
    release: (word) => writeFileSync(join(directory, word), ""),
    close: async () => {
      for (const server of servers) await server.kill();
      await modelServer.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

export async function openVendorWorld(
  vendor: Vendor,
  install: Installing,
  words: readonly string[] = [],
): Promise<VendorWorld> {
  const project = await openVendorProject(vendor, install);
  const server = await project.serve("node", { words });
  const { url, token } = server;
  const holdfast = connect({ url, token });
  const session = await holdfast.sessions.create({ directory: project.directory });
  return {
    ...project,
    vendor,
    server,
    holdfast,
    session,
    ask: (promptId) => nextAsk(session, promptId),
    settled: (promptId) => settledAndReleased(session, promptId),
    examine: async () => {
      await server.stop();
      const store = await openStore(join(server.data, "holdfast.db"));
      const { violations } = await examine(store);
      await store.close();
      return violations;
    },
  };
}

export async function nextAsk(session: SessionHandle, promptId: string): Promise<Ask | null> {
  const prompt = session.promptById(promptId);
  const found = await waitFor(
    async () => {
      const { items } = await session.asks({ open: true });
      const [ask] = items;
      if (ask !== undefined) return { ask };
      if ((await prompt.get()).status === "settled") return { ask: null };
      // Leave the processor to the agent between two requests.
      return delay(25, null);
    },
    { describe: `an ask or the outcome of ${promptId}`, limit: patience },
  );
  return found?.ask ?? null;
}

export async function settledAndReleased(
  session: SessionHandle,
  promptId: string,
): Promise<Settled> {
  const settled = await session
    .promptById(promptId)
    .settled({ signal: AbortSignal.timeout(patience) });
  for (const { holdId } of await session.holds()) await session.release(holdId);
  return settled;
}
