import { sandboxStatus, sandboxText } from "../../compose/sandbox-status.ts";
import { openReader, storeName } from "../../compose/stores.ts";
import { examine } from "../../store/doctor.ts";
import type { Tally } from "../../store/doctor.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";

/** `holdfast doctor`: the machine's sandbox, then the store. */
export async function diagnose(options: { store: string; json?: true }): Promise<ExitCode> {
  const sandbox = await sandboxStatus();
  if (options.json === true) {
    const found = await examined(options.store);
    console.log(JSON.stringify({ ...found, sandbox }));
    return found.violationCount === 0 ? exitCodes.ok : exitCodes.failure;
  }
  console.log(`Sandbox for commands: ${sandboxText(sandbox)}`);
  return examineStore(options);
}

/** Examines a store and prints the result. */
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
    console.log("No violation: every log, state, outcome, body and link is as promised.");
    return exitCodes.ok;
  }
  const what = violationCount === 1 ? "1 violation" : `${violationCount} violations`;
  console.log(`${what}. Keep a copy of the store, stop what writes to it, restore a backup.`);
  return exitCodes.failure;
}

/** Examines a store and prints nothing. */
export async function examined(store: string): Promise<Awaited<ReturnType<typeof examine>>> {
  await using stack = new AsyncDisposableStack();
  const reader = stack.adopt(await openReader(store), (opened) => opened.close());
  return await examine(reader, {});
}

function summary(tally: Tally): string {
  const { sessions, events, prompts, asks, links, bodies } = tally;
  return (
    `${sessions} sessions, ${events} events, ${prompts} prompts, ${asks} asks, ` +
    `${links} links, ${bodies} bodies`
  );
}
