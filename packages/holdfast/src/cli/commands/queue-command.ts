import { openClient } from "../../compose/client.ts";
import type { Holdfast, PromptHandle, Receipt, SessionDetail, SessionHandle } from "@holdfast/sdk";
import { chooseSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { CliError, exitCodes, printResult } from "../cli-error.ts";
import type { ExitCode, JsonOption } from "../cli-error.ts";
import { findIn, findPrompt, shortId } from "../ids.ts";
import { holdText } from "../terminal/hold-text.ts";
import { oneLine } from "../terminal/printable.ts";
import { onStdout } from "../terminal/style.ts";
import { cutTo, outputWidth } from "../terminal/width.ts";
import { isStopping, receiptText } from "./outcome.ts";

export type QueueOptions = ClientOptions & JsonOption & { readonly session?: string };

/** `holdfast queue`: shows the active run, the queue in start order, and holds. */
export async function showQueue(options: QueueOptions): Promise<ExitCode> {
  return onSession(options, async (session) => {
    await show(session, options);
  });
}

export function editPrompt(
  options: QueueOptions & { readonly prompt: string; readonly text: string },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const entry = await (await promptOf(session, options)).edit(options.text);
    printResult(
      options,
      entry,
      `${shortId(entry.promptId)} was changed (revision ${entry.revision})`,
    );
  });
}

export function movePrompt(
  options: QueueOptions & { readonly prompt: string; readonly before?: string },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const before = options.before === undefined ? null : await findPrompt(session, options.before);
    await (await promptOf(session, options)).move(before);
    await show(session, options);
  });
}

export function promotePrompt(
  options: QueueOptions & { readonly prompt: string },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const prompt = await promptOf(session, options);
    const { active } = await session.get();
    const entry = await prompt.promote();
    const stopped = active?.kind === "run" ? "; the active run is being stopped" : "";
    printResult(options, entry, `${shortId(entry.promptId)} is next${stopped}`);
  });
}

export function withdrawPrompt(
  options: QueueOptions & { readonly prompt: string },
): Promise<ExitCode> {
  return onSession(options, async (session, holdfast) => {
    const receipt = await (await promptOf(session, options)).withdraw();
    await printReceipt(options, { holdfast, session, receipt });
  });
}

export function clearQueue(options: QueueOptions): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const receipt = await session.clearQueue();
    printResult(options, receipt, receiptText(receipt));
  });
}

export function holdQueue(options: QueueOptions & { readonly reason: string }): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const holdId = await session.hold({ reason: options.reason });
    // Without --session, the command takes the newest session of the folder, which may be another one.
    const named = options.session === undefined ? "" : ` --session ${shortId(session.sessionId)}`;
    printResult(
      options,
      { holdId },
      `paused (${shortId(holdId)}): prompts are accepted and wait; to resume: holdfast queue${named} release`,
    );
  });
}

/** Releases the named hold, or all holds of the session. */
export function releaseQueue(
  options: QueueOptions & { readonly hold?: string },
): Promise<ExitCode> {
  return onSession(options, async (session) => {
    const holds = await session.holds();
    const ids = holds.map(({ holdId }) => holdId);
    const named =
      options.hold === undefined ? null : findIn(ids, { text: options.hold, kind: "hold" });
    const wanted = holds.filter(({ holdId }) => (named ?? holdId) === holdId);
    if (wanted.length === 0) {
      const problem = options.hold === undefined ? "is not paused" : `has no pause ${options.hold}`;
      throw new CliError(
        "unknownHold",
        `the session ${problem}; \`holdfast queue\` lists all pauses`,
      );
    }
    for (const hold of wanted) {
      await session.release(hold.holdId);
      printResult(options, hold, `released: ${holdText(hold)}`);
    }
  });
}

async function promptOf(
  session: SessionHandle,
  { prompt }: { readonly prompt: string },
): Promise<PromptHandle> {
  return session.promptById(await findPrompt(session, prompt));
}

async function onSession(
  options: QueueOptions,
  work: (session: SessionHandle, holdfast: Holdfast) => Promise<void>,
): Promise<ExitCode> {
  await using client = await openClient(
    { ...placeOf(options), sessionId: options.session },
    "change",
  );
  const { holdfast } = client;
  await work(await chooseSession(holdfast, options.session), holdfast);
  return exitCodes.ok;
}

async function show(session: SessionHandle, { json }: JsonOption): Promise<void> {
  const detail = await session.get();
  if (json === true) console.log(JSON.stringify(detail));
  else await print(session, detail);
}

async function print(session: SessionHandle, detail: SessionDetail): Promise<void> {
  const { active, queue, holds } = detail;
  console.log(
    `${onStdout("bold", shortId(detail.sessionId))}  ${oneLine(detail.title ?? "", 80)}`.trimEnd(),
  );
  for (const hold of holds) {
    console.log(onStdout("yellow", `  paused: ${holdText(hold)} (${shortId(hold.holdId)})`));
  }
  if (active?.kind === "run") {
    const [first = active.startedBy, ...others] = active.prompts;
    const doing =
      detail.status === "cutOff" ? onStdout("yellow", "cut off") : onStdout("green", active.status);
    console.log(`  ${doing}  ${shortId(first)}  ${await words(session, first)}`);
    for (const promptId of others) {
      console.log(`  joined   ${shortId(promptId)}  ${await words(session, promptId)}`);
    }
  }
  if (active?.kind === "work") console.log(`  ${onStdout("green", "busy")}  ${active.name}`);
  for (const [index, item] of queue.entries()) {
    const place = String(index + 1).padStart(3);
    if (item.kind === "work") console.log(`${place}  ${item.workId}  (${item.name})`);
    else {
      const steer = item.binding === null ? "" : onStdout("dim", " (steers the run)");
      console.log(
        `${place}  ${shortId(item.promptId)}${steer}  ${await words(session, item.promptId)}`,
      );
    }
  }
  if (active === null && queue.length === 0) console.log("  nothing is running or waiting");
}

/** Number of columns for everything except the prompt's text: the state, the id, quotation marks and a remark. */
const besideText = 24;
const shortText = 10;
const longText = 100;

async function words(session: SessionHandle, promptId: string): Promise<string> {
  const { text } = await session.promptById(promptId).get();
  const room = Math.min(longText, Math.max(shortText, outputWidth() - besideText));
  return onStdout("dim", `“${cutTo(oneLine(text ?? "", longText), room)}”`);
}

/** `holdfast cancel`: cancels all prompts that are unsettled now, but none that are sent later (C1). */
export async function cancelSession(
  options: ClientOptions & {
    readonly session?: string;
    readonly prompt?: string;
    readonly upTo?: number;
    readonly tree?: true;
    readonly cancelId?: string;
    readonly json?: true;
  },
): Promise<ExitCode> {
  await using client = await openClient(
    { ...placeOf(options), sessionId: options.session },
    "change",
  );
  const { holdfast } = client;
  const session = await chooseSession(holdfast, options.session);
  const { prompt, upTo, cancelId, tree = false } = options;
  const receipt =
    prompt === undefined
      ? await session.cancel({ upTo, tree, cancelId })
      : await (
          await promptOf(session, { prompt })
        ).withdraw(cancelId === undefined ? {} : { cancelId });
  await printReceipt(options, { holdfast, session, receipt });
  return exitCodes.ok;
}

async function printReceipt(
  { json }: JsonOption,
  of: { holdfast: Holdfast; session: SessionHandle; receipt: Receipt },
): Promise<void> {
  const { holdfast, session, receipt } = of;
  if (json === true) console.log(JSON.stringify(receipt));
  else {
    const state = {
      isStopping: await isStopping(holdfast, { sessionId: session.sessionId, receipt }),
    };
    console.log(receiptText(receipt, state));
  }
}
