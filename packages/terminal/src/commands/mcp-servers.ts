import type { Holdfast, McpLoginState, McpServer } from "@holdfast/sdk";
import type { Client } from "../client.ts";
import { reachServer } from "./reach-server.ts";

/** Seconds that one request waits until the person has signed in. */
const wait = 20;

/** For each client, the MCP server of the latest sign-in that the client has started. */
const pending = new WeakMap<Client, string>();

/** Lists the MCP servers of the directory. If the user chooses a server that needs a sign-in, starts the sign-in. */
export async function pickMcpServer(client: Client, rest: string): Promise<void> {
  const holdfast = await reachServer(client);
  if (holdfast === null) return;
  try {
    if (rest !== "") return await finishWith(client, { holdfast, callbackUrl: rest });
    client.say("Loading MCP servers…");
    const servers = await holdfast.mcp.list(client.directory);
    client.hint = null;
    client.pick<McpServer>({
      title: "MCP server:",
      empty: 'This directory uses no MCP servers. Add one under "mcp" in holdfast.jsonc',
      hint: "Enter shows a server, or signs in if it needs that · Esc closes",
      items: servers.map((server) => ({
        value: server,
        label: server.name,
        detail: detailOf(server),
        isUrgent: server.status === "failed" || server.needsSignIn,
      })),
      onChoose: (server) => {
        if (server.needsSignIn) void signIn(client, { holdfast, server: server.name });
        else client.remark(describe(server));
      },
    });
  } catch (error) {
    client.fail(error);
  }
}

function detailOf({ status, needsSignIn, tools }: McpServer): string {
  if (needsSignIn) return "needs sign-in";
  return status === "connected"
    ? `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`
    : status;
}

function describe({ name, status, problem, tools }: McpServer): string {
  const offered = tools.map((tool) => tool.name).join(", ");
  return [`${name}: ${status}`, problem, offered].filter((part) => (part ?? "") !== "").join("\n");
}

async function signIn(
  client: Client,
  { holdfast, server }: { holdfast: Holdfast; server: string },
): Promise<void> {
  const { directory } = client;
  try {
    const { authorizationUrl } = await holdfast.mcp.login(server, { directory });
    pending.set(client, server);
    if (authorizationUrl !== null) {
      client.remark(
        `Open this address in your browser and sign in to ${server}. If your browser runs on another machine, its last page cannot be shown: type /mcp and paste the address of that page.`,
      );
      client.remarkAddress(authorizationUrl);
    }
    for (;;) {
      const state = await holdfast.mcp.finishLogin(server, { directory, wait });
      if (client.isClosed) return;
      if (state.status !== "waiting") return report(client, server, state);
    }
  } catch (error) {
    client.fail(error);
  }
}

/** Completes the sign-in with the address of the browser's last page, which the user has pasted. */
async function finishWith(
  client: Client,
  { holdfast, callbackUrl }: { holdfast: Holdfast; callbackUrl: string },
): Promise<void> {
  const server = pending.get(client);
  if (server === undefined) return client.say("No sign-in is waiting. Type /mcp to start one");
  const { directory } = client;
  const state = await holdfast.mcp.finishLogin(server, { directory, callbackUrl });
  // Report only a failure here. If the user pasted a wrong address, the sign-in continues and they can paste again. The
  // loop in `signIn` reports a success.
  if (state.status === "failed") report(client, server, state);
}

function report(client: Client, server: string, { status, problem }: McpLoginState): void {
  if (status === "signedIn") {
    pending.delete(client);
    return client.remark(`Signed in to ${server}. The next prompts use the server.`);
  }
  return client.remark(`The sign-in to ${server} failed: ${problem ?? "no reason given"}`, "bad");
}
