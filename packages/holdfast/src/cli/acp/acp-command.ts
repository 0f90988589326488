import { createInterface } from "node:readline";
import type { Holdfast } from "@holdfast/sdk";
import { createPeer, rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { RpcFailure } from "../../base/json-rpc.ts";
import { openClient } from "../../compose/client.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { watchConnection } from "../connection.ts";
import type { ConnectionChange } from "../connection.ts";
import { describeError } from "../describe-error.ts";
import { onOutputGone } from "../terminal/output-gone.ts";
import { createAcpAgent } from "./agent.ts";
import type { AcpAgent } from "./agent.ts";

export type AcpInput = ClientOptions & { readonly patience: number };

/** Milliseconds in which remaining prompts and cancels are sent after the editor has disconnected. */
const lastWords = 5_000;

/** `holdfast acp`: connects an editor through stdin and stdout. Sessions keep running after the editor disconnects. */
export async function speakAcp(input: AcpInput): Promise<ExitCode> {
  if (process.stdin.isTTY)
    console.error("this command is started by editors; press Ctrl-D to quit");
  const connect = serverFor(input, (change) => {
    console.error(change.words);
    agent.connection(change);
  });
  // Starting a server takes time, so connect before the first request. If this fails, the first request connects
  // again and reports the failure.
  connect().catch(() => {});
  const lines = createInterface({ input: process.stdin });
  const peer = createPeer({
    send: (line) => void process.stdout.write(`${line}\n`),
    asked: (method, params, signal) => agent.asked(method, params, signal),
    notified: (method, params) => agent.notified(method, params),
    describe: describeFailure,
  });
  const agent: AcpAgent = createAcpAgent({ place: input, peer, connect, onError });
  const gone = Promise.withResolvers<void>();
  const leave = (): void => gone.resolve();
  onOutputGone(leave);
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, leave);
  lines.on("line", (line) => peer.take(line)).once("close", leave);
  await gone.promise;
  lines.close();
  process.stdin.destroy();
  await agent.leave(lastWords);
  for (const signal of signals) process.off(signal, leave);
  return exitCodes.ok;
}

function onError(error: unknown): void {
  console.error(describeError(error).line);
}

/** Describes a failed request for the editor: a message for people and our error code. */
function describeFailure(error: unknown): RpcFailure {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return data === undefined ? { code, message } : { code, message, data };
  }
  const [, reason = "internal", message = ""] =
    /^holdfast: (\w+): (.*)$/s.exec(describeError(error).line) ?? [];
  return { code: codes.get(reason) ?? rpcCodes.internal, message, data: { reason } };
}

const codes: ReadonlyMap<string, number> = new Map([
  ["unknownSession", rpcCodes.notFound],
  ["deleted", rpcCodes.notFound],
  ["directory", rpcCodes.invalidParams],
  ["invalid", rpcCodes.invalidParams],
]);

/** Returns a function that connects to the server. Starts the server if it is not running. */
function serverFor(
  input: AcpInput,
  onChange: (change: ConnectionChange) => void,
): () => Promise<Holdfast> {
  const { patience, server } = input;
  const watch = watchConnection({ patience, onChange });
  const place = { ...placeOf(input), patience, watch, client: "acp" };
  const isElsewhere = (server ?? process.env["HOLDFAST_SERVER"] ?? "") !== "";
  let known: Holdfast | null = null;
  let opening: Promise<Holdfast> | null = null;
  const open = async (): Promise<Holdfast> => {
    if (known !== null && isElsewhere) return known;
    const { holdfast } = await openClient(place, "server");
    // Keep the first client: it finds the server again by itself if the address changes.
    known ??= holdfast;
    return known;
  };
  return () => {
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  };
}
