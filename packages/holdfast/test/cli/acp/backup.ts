import assert from "node:assert/strict";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { freePort } from "../../support/free-port.ts";
import { openCli } from "../test-cli.ts";
import type { Serving, TestCli } from "../test-cli.ts";
import { openEditor } from "./editor.ts";
import type { Editor } from "./editor.ts";

/** An editor that uses a server, which `backUp` and `restore` give a backup. */
interface ServedEditor {
  readonly cli: TestCli;
  readonly serving: Serving;
  /** A client of the server, apart from the editor. */
  readonly holdfast: Holdfast;
  readonly editor: Editor;
  /** Opens another editor that uses the server. */
  readonly openAnother: () => Promise<Editor>;
}

export async function openServedEditor(
  test: { after(work: () => void): void },
  options: {
    /** Config of the project. */
    readonly config?: object;
    /** More words for `holdfast acp`. */
    readonly words?: readonly string[];
  } = {},
): Promise<ServedEditor> {
  const { config = {}, words = [] } = options;
  const cli = openCli(test);
  const { folder } = cli;
  writeFileSync(join(folder, "holdfast.jsonc"), JSON.stringify(config));
  const serving = await cli.serve(await freePort());
  const { url, token } = serving;
  const environment = { HOLDFAST_SERVER: url, HOLDFAST_TOKEN: token };
  const openAnother = (): Promise<Editor> => openEditor(test, { folder, environment, words });
  const holdfast = connect({ url, token });
  return { cli, serving, holdfast, editor: await openAnother(), openAnother };
}

/** Writes a backup, which `restore` uses. */
export async function backUp(cli: TestCli): Promise<void> {
  const { end, err } = await cli.run("store", "backup", join(cli.folder, "backup.db"));
  assert.equal(end, 0, err);
}

/** Kills the server and starts another one at the same address, with the backup. */
export async function restore(
  cli: TestCli,
  { running, port }: Serving,
  steps: {
    readonly whileAway?: () => Promise<unknown>;
    /** Called with the backup in place, before the server starts. */
    readonly beforeStart?: () => Promise<unknown>;
  } = {},
): Promise<Serving> {
  running.process.kill("SIGKILL");
  await running.ended;
  await steps.whileAway?.();
  for (const suffix of ["-wal", "-shm"]) rmSync(`${cli.store}${suffix}`, { force: true });
  copyFileSync(join(cli.folder, "backup.db"), cli.store);
  await steps.beforeStart?.();
  return cli.serve(port);
}
