import { backUpStore, openReader, storeName } from "../../compose/stores.ts";
import { examine } from "../../store/doctor/doctor.ts";
import type { Tally } from "../../store/doctor/findings.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import { placeWords } from "../client-options.ts";
import type { ExitCode } from "../cli-error.ts";
import { resolve } from "node:path";
import { homedir } from "node:os";
import { stopIdleServer } from "../../compose/stop-idle.ts";
import { planTidying, tidy } from "../../compose/tidy.ts";
import type { Tidied } from "../../compose/tidy.ts";
import { StoreError } from "../../store/store-error.ts";

/** Checks a store and prints the result. */
export async function examineStore(options: { store: string }): Promise<ExitCode> {
  await using stack = new AsyncDisposableStack();
  const reader = stack.adopt(await openReader(options.store), (opened) => opened.close());
  console.log(`Examining ${storeName(options.store)}`);
  const showProgress = process.stderr.isTTY;
  let shownAt = 0;
  const found = await examine(reader, {
    onProgress: (tally) => {
      if (!showProgress || performance.now() - shownAt < 100) return;
      shownAt = performance.now();
      process.stderr.write(`\r\u001B[K  ${summary(tally)}`);
    },
  });
  if (showProgress) process.stderr.write("\r\u001B[K");
  const { violations, violationCount } = found;
  console.log(`  verified: ${summary(found)}`);
  for (const { sessionId, problem } of violations) console.log(`  ${sessionId}: ${problem}`);
  const unnamed = violationCount - violations.length;
  if (unnamed > 0) console.log(`  and ${unnamed} more`);
  if (violationCount === 0) {
    console.log("No problems found: every log, state, outcome, body and link is consistent.");
    return exitCodes.ok;
  }
  const what = violationCount === 1 ? "1 problem" : `${violationCount} problems`;
  console.log(`${what}. Stop the server, keep a copy of the store, and restore a backup.`);
  return exitCodes.failure;
}

/** Checks a store without printing anything. */
export async function examined(store: string): Promise<Awaited<ReturnType<typeof examine>>> {
  await using stack = new AsyncDisposableStack();
  const reader = stack.adopt(await openReader(store), (opened) => opened.close());
  return await examine(reader, {});
}

function summary(tally: Tally): string {
  const { sessions, events, prompts, asks, links, bodies } = tally;
  return (
    `sessions ${sessions}, events ${events}, prompts ${prompts}, asks ${asks}, ` +
    `links ${links}, bodies ${bodies}`
  );
}

/** `holdfast store backup`: copies the store and checks the copy. */
export async function backUp(options: {
  readonly store: string;
  readonly file: string;
  readonly check: boolean;
  readonly json?: true;
}): Promise<ExitCode> {
  const file = resolve(options.file);
  await backUpStore(options.store, file);
  if (options.json === true) {
    const found = options.check ? await examined(file) : null;
    console.log(JSON.stringify({ file, found }));
    return found === null || found.violationCount === 0 ? exitCodes.ok : exitCodes.failure;
  }
  console.log(`copied to ${file}`);
  if (options.check) return examineStore({ store: file });
  console.log(`not checked; to check it: holdfast doctor --store ${file}`);
  return exitCodes.ok;
}

export async function tidyStore(options: {
  readonly store: string;
  readonly dryRun?: true;
  readonly json?: true;
}): Promise<ExitCode> {
  const place = { store: options.store, environment: process.env, home: homedir() };
  const isPlan = options.dryRun === true;
  if (!isPlan) await stopIdleBackground(options.store);
  const found = isPlan
    ? await planTidying(place)
    : await tidy(place).catch(explainOwned(place.store));
  if (options.json === true) {
    console.log(JSON.stringify({ dryRun: isPlan, ...found }));
    return exitCodes.ok;
  }
  console.log(`${isPlan ? "Would tidy" : "Tidied"} ${storeName(options.store)}`);
  for (const line of linesOf(found, isPlan)) console.log(`  ${line}`);
  return exitCodes.ok;
}

/** Stops an idle background server, because it owns the SQLite file. The next command starts it again. */
async function stopIdleBackground(store: string): Promise<void> {
  if (store.includes("://")) return;
  await stopIdleServer(
    { store, environment: process.env, home: homedir() },
    { onlyBackground: true },
  );
}

/**
 * Replaces the message of a `storeOwned` error. Its usual advice is to send requests to the process that uses the
 * database, but this command needs the database for itself.
 */
function explainOwned(store: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof StoreError) || error.code !== "storeOwned") throw error;
    const stop = `holdfast server stop${placeWords({ store })}`;
    const advice = `wait until its work has ended, or stop it (a server with \`${stop}\`), or use --dry-run`;
    throw new CliError("databaseInUse", `another process is using ${storeName(store)}; ${advice}`);
  };
}

function linesOf(tidied: Tidied, isPlan: boolean): string[] {
  const { archive, remove, bodies, uploads, size } = tidied;
  const free =
    size.freeBytes === null || !isPlan ? "" : `, of which ${amount(size.freeBytes)} are free`;
  return [
    `sessions archived  ${archive.length}`,
    `sessions deleted   ${remove.length}; the outcomes of their prompts are kept`,
    `contents removed   ${bodies.count}, ${amount(bodies.bytes)}, used only by deleted sessions`,
    ...(uploads === null ? [] : [`uploads deleted    ${uploads}, used by no prompt`]),
    `store size         ${amount(size.bytes)}${free}`,
  ];
}

function amount(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
