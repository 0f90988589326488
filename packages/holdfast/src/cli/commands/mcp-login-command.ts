import { createInterface } from "node:readline";
import type { McpLoginState } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import { exitCodes } from "../cli-error.ts";
import type { ExitCode } from "../cli-error.ts";
import { folderOf, placeOf } from "../client-options.ts";
import { patiently } from "../terminal/lines.ts";
import { printable } from "../terminal/printable.ts";
import type { McpOptions } from "./mcp-command.ts";
import { showAnswer } from "./maintenance-progress.ts";

type LoginOptions = McpOptions & { readonly name: string };

/** Seconds that one request waits until the person has signed in. */
const wait = 50;

/** `holdfast mcp login`: signs in at a server, in the user's browser. */
export async function loginMcpServer(options: LoginOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { mcp } = client.holdfast;
  const { name } = options;
  const directory = folderOf(options, options.directory);
  const started = await patiently("asking the server", mcp.login(name, { directory }));
  if (started.authorizationUrl !== null) {
    console.error("Open this address in your browser and sign in:");
    console.log(printable(started.authorizationUrl));
    const advice =
      ` If the browser is on another machine, its last page cannot be shown: paste the address of that page here. ` +
      `It starts with ${printable(started.redirectUrl)}`;
    console.error(`Waiting up to 10 minutes.${process.stdin.isTTY ? advice : ""}`);
  }
  const state = await ended(async (callbackUrl) =>
    mcp.finishLogin(name, { directory, wait, ...(callbackUrl === null ? {} : { callbackUrl }) }),
  );
  if (state.status === "signedIn") {
    console.log(`Signed in at ${printable(name)}. The next prompts use the server.`);
    return exitCodes.ok;
  }
  console.error(`The sign-in failed: ${printable(state.problem ?? "it took too long")}`);
  return exitCodes.failure;
}

/**
 * Waits until the sign-in ends in the browser, or until the person pastes the address of the page that the browser
 * shows at the end of the sign-in.
 */
async function ended(
  finish: (callbackUrl: string | null) => Promise<McpLoginState>,
): Promise<McpLoginState> {
  const pasted = Promise.withResolvers<McpLoginState>();
  const usePasted = async (address: string): Promise<void> => {
    const state = await finish(address);
    if (state.status === "signedIn") pasted.resolve(state);
    else console.error(`Not accepted: ${printable(state.problem ?? "still waiting")}`);
  };
  const input = process.stdin.isTTY ? createInterface({ input: process.stdin }) : null;
  input?.on("line", (line) => {
    if (line.trim() === "") return;
    usePasted(line.trim()).catch(pasted.reject);
  });
  const waited = async (): Promise<McpLoginState> => {
    for (;;) {
      const state = await finish(null);
      if (state.status !== "waiting") return state;
    }
  };
  try {
    return await Promise.race([waited(), pasted.promise]);
  } finally {
    input?.close();
  }
}

/** `holdfast mcp logout`: removes the stored sign-in. */
export async function logoutMcpServer(options: LoginOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "settings");
  const { holdfast } = client;
  const directory = folderOf(options, options.directory);
  const { name } = options;
  const answer = await patiently("loading", holdfast.mcp.logout(name, { directory }));
  return await showAnswer(holdfast, answer, { ...options, said: `signed out at ${name}` });
}
