import { openClient } from "../../compose/client.ts";
import { chooseSession, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { receiptText } from "./outcome.ts";

/** `holdfast cancel`: what is unsettled now, and nothing that is sent later (C1). */
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
      : await session.promptById(prompt).withdraw(cancelId === undefined ? {} : { cancelId });
  console.log(options.json === true ? JSON.stringify(receipt) : receiptText(receipt));
  return exitCodes.ok;
}
