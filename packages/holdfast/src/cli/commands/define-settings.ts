import { Option } from "commander";
import type { Command } from "commander";
import { protocolNames } from "../../agent/model/protocol-names.ts";
import { addClientOptions } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import type { ConfigOptions } from "./config-command.ts";
import { addFollowing } from "./define-maintenance.ts";
import { defineModels } from "./define-others.ts";
import { addHelp, directoryOption } from "../help-text.ts";
import type { ConnectOptions } from "./providers-command.ts";
import type { FollowOptions } from "./maintenance-progress.ts";

/** Defines the commands for providers, MCP servers, config, agents and project commands. */
export function defineSettings(program: Command, onDone: (exitCode: number) => void): void {
  defineProviders(program, onDone);
  defineModels(program, onDone);
  defineLists(program, onDone);
  defineMcp(program, onDone);
  defineConfig(program, onDone);
}

function defineProviders(program: Command, onDone: (exitCode: number) => void): void {
  const connect = addHelp(program.command("connect"), {
    summary: "Connect a model provider",
    description:
      "Connect a model provider. Type the API key when asked, pipe it to stdin, or name an environment variable with " +
      "--key-env. Holdfast stores the key in a file that only you can read. The key cannot be an argument, because " +
      "other users of the machine can read command lines. With --no-key, bedrock uses the AWS credentials of this " +
      "machine, and vertex the Google Cloud credentials. For copilot, the command prints a code to enter at github.com.",
    examples: [
      "holdfast connect anthropic",
      "pass show openai | holdfast connect openai",
      "holdfast connect bedrock --no-key",
      "holdfast connect copilot",
      "holdfast connect local --no-key --base-url http://127.0.0.1:8080/v1 --model qwen3",
    ],
  })
    .argument(
      "<provider>",
      "anthropic, openai, google, openrouter, azure, bedrock, vertex, copilot, ollama, or a name of your choice",
    )
    .option("--key-env <variable>", "Read the key from this environment variable")
    .option("--no-key", "Connect without a key, for a provider that needs none")
    .option(
      "--client-id <id>",
      "OAuth client id for copilot; GitHub issues one for an app that you register",
    )
    .option("--base-url <url>", "URL of the provider's API (default: the official one)")
    .addOption(
      new Option("--protocol <name>", "API protocol, for a provider that is not built in").choices(
        protocolNames,
      ),
    )
    .option("-m, --model <name>", "Default model of this provider");
  addClientOptions(addFollowing(connect)).action(
    async (provider: string, options: Omit<ConnectOptions, "provider">) => {
      const { connectProvider } = await import("./providers-command.ts");
      onDone(await connectProvider({ ...options, provider }));
    },
  );
  const disconnect = addHelp(program.command("disconnect"), {
    summary: "Disconnect a model provider",
    description:
      "Disconnect a model provider. Running prompts use the provider until they end, unless you add --force.",
    examples: ["holdfast disconnect openai", "holdfast disconnect openai --force"],
  })
    .argument("<provider>", "Name of the provider")
    .option(
      "--force",
      "Cancel the running prompts that use the provider, and stop using its key at once",
    );
  addClientOptions(addFollowing(disconnect)).action(
    async (provider: string, options: ForceOptions) => {
      const { disconnectProvider } = await import("./providers-command.ts");
      onDone(await disconnectProvider({ ...options, provider }));
    },
  );
  const providers = addHelp(program.command("providers"), {
    summary: "List model providers",
    description: "List the connected model providers, with masked keys and the source of each key.",
    examples: ["holdfast providers", "holdfast providers test anthropic"],
  })
    .addOption(directoryOption("Project directory (default: the current directory)"))
    .option("--json", "Print the list as a line of JSON");
  addClientOptions(providers).action(async (options: PlaceOptions) => {
    onDone(await (await import("./providers-command.ts")).listProviders(options));
  });
  addHelp(providers.command("test <provider>"), {
    summary: "Check the key of a provider with one cheap request",
    examples: ["holdfast providers test anthropic"],
  }).action(async (provider: string) => {
    const { testProvider } = await import("./providers-command.ts");
    onDone(await testProvider({ ...providers.opts<PlaceOptions>(), provider }));
  });
}

function defineMcp(program: Command, onDone: (exitCode: number) => void): void {
  const mcp = addHelp(program.command("mcp"), {
    summary: "List MCP servers and their tools",
    description:
      "List the MCP servers of a project with their status and tools. Exits with 1 if a server could not start.",
    examples: ["holdfast mcp", "holdfast mcp restart files"],
  })
    .addOption(directoryOption("Project directory (default: the current directory)"))
    .option("--json", "Print each server as a line of JSON");
  addClientOptions(mcp).action(async (options: PlaceOptions) => {
    onDone(await (await import("./mcp-command.ts")).listMcpServers(placed(options)));
  });
  addHelp(mcp.command("restart <server>"), {
    summary: "Restart an MCP server",
    description:
      "Restart an MCP server. Running prompts keep the old process; later prompts use the new one.",
    examples: ["holdfast mcp restart files"],
  })
    .option("--force", "Cancel the running prompts that use the old process")
    .option("--wait", "Wait until the old process has ended")
    .action(async (name: string, options: { force?: true; wait?: true }) => {
      const { restartMcpServer } = await import("./mcp-command.ts");
      onDone(await restartMcpServer({ ...placed(mcp.opts<PlaceOptions>()), ...options, name }));
    });
  addHelp(mcp.command("serve"), {
    summary: "Run an MCP server that lets other agents use Holdfast",
    description:
      "Run an MCP server on stdin and stdout. An agent that is connected to it can send prompts, read sessions, and list the " +
      "questions that wait for a person. The command starts a Holdfast server if none is running.",
    examples: ["holdfast mcp serve"],
  }).action(async () => {
    onDone(await (await import("./mcp-serve-command.ts")).serveMcp(mcp.opts<PlaceOptions>()));
  });
  addHelp(mcp.command("login <server>"), {
    summary: "Sign in to an MCP server",
    description:
      "Sign in to an MCP server that uses OAuth. The command prints a URL to open in your browser, and waits until you have " +
      "signed in. The tokens are stored in a file that only you can read.",
    examples: ["holdfast mcp login tickets"],
  }).action(async (name: string) => {
    const { loginMcpServer } = await import("./mcp-login-command.ts");
    onDone(await loginMcpServer({ ...placed(mcp.opts<PlaceOptions>()), name }));
  });
  addHelp(mcp.command("logout <server>"), {
    summary: "Sign out of an MCP server: delete its stored tokens",
    examples: ["holdfast mcp logout tickets"],
  }).action(async (name: string) => {
    const { logoutMcpServer } = await import("./mcp-login-command.ts");
    onDone(await logoutMcpServer({ ...placed(mcp.opts<PlaceOptions>()), name }));
  });
}

function defineConfig(program: Command, onDone: (exitCode: number) => void): void {
  const config = addHelp(program.command("config"), {
    summary: "Print or check the config",
    description: "Print the config file of a project, check it, or print its path.",
    examples: ["holdfast config", "holdfast config --check", "holdfast config --user --path"],
  })
    .addOption(directoryOption("Project directory (default: the current directory)"))
    .option("--user", "Use your own config file instead of the project's")
    .option("--check", "Check the config and print the problems; exits with 1 if there is an error")
    .option("--path", "Print the path of the file, even if the file does not exist")
    .option(
      "--schema",
      "Print the JSON schema of the config file, which editors use for completion",
    )
    .option("--json", "Print the result as a line of JSON");
  addClientOptions(config).action(
    async (options: Omit<ConfigOptions, "directory"> & { directory?: string }) => {
      onDone(await (await import("./config-command.ts")).showConfig(placed(options)));
    },
  );
  const trust = addHelp(program.command("trust"), {
    summary: "Trust the config of a project",
    description:
      "Trust the config of a project. A project's config can start servers, run hooks, allow tools and use keys. " +
      "Holdfast ignores these settings until you review and trust them here. You must trust them again after every change.",
    examples: ["holdfast trust", "holdfast trust ~/project --forget"],
  })
    .argument("[directory]", "Project directory (default: the current directory)")
    .option("--yes", "Trust the config without asking for confirmation")
    .option("--forget", "Stop trusting the config of the project");
  addClientOptions(addFollowing(trust)).action(
    async (directory = process.cwd(), options: FollowingOptions & TrustOptions) => {
      const { trustConfig } = await import("./config-command.ts");
      onDone(await trustConfig({ ...options, directory: String(directory) }));
    },
  );
}

function defineLists(program: Command, onDone: (exitCode: number) => void): void {
  const list = (name: string, page: { summary: string; description: string }): Command =>
    addClientOptions(
      addHelp(program.command(name), { ...page, examples: [`holdfast ${name}`] })
        .addOption(directoryOption("Project directory (default: the current directory)"))
        .option("--json", `Print each ${name.slice(0, -1)} as a line of JSON`),
    );
  const agents = {
    summary: "List the agents of a project",
    description: "List the agents of a project. Choose one with: holdfast run --agent NAME",
  };
  const commands = {
    summary: "List the slash commands of a project",
    description: "List the slash commands of a project. Use one with: holdfast run /NAME",
  };
  const listed = list("agents", agents).action(async (options: PlaceOptions) => {
    onDone(await (await import("./workspace-command.ts")).listAgents(placed(options)));
  });
  defineHostedAgents(listed, onDone);
  list("commands", commands).action(async (options: PlaceOptions) => {
    onDone(await (await import("./workspace-command.ts")).listCommands(placed(options)));
  });
}

/** Defines the commands that install and remove external (hosted) agents. */
function defineHostedAgents(agents: Command, onDone: (exitCode: number) => void): void {
  addHelp(agents.command("add <name>"), {
    summary: "Install an external coding agent, such as Claude Code",
    description:
      "Install an external coding agent from npm: claude, codex, gemini, opencode or qwen (docs/HOSTED.md). Holdfast " +
      "installs the exact version that this release was tested with, verifies the checksums of all its packages, and runs no install scripts.",
    examples: ["holdfast agents add claude"],
  }).action(async (name: string) => {
    onDone(await (await import("./agents-command.ts")).addAgent(name));
  });
  addHelp(agents.command("remove <name>"), {
    summary: "Remove an installed external agent",
    description:
      "Remove an external agent that `holdfast agents add` has installed. The agent's own settings and sessions stay.",
    examples: ["holdfast agents remove claude"],
  }).action(async (name: string) => {
    onDone(await (await import("./agents-command.ts")).removeAgent(name));
  });
}

type JsonOptions = ClientOptions & { readonly json?: true };
type FollowingOptions = FollowOptions;
type ForceOptions = FollowingOptions & { readonly force?: true };
type PlaceOptions = JsonOptions & { readonly directory?: string };
interface TrustOptions {
  readonly yes?: true;
  readonly forget?: true;
}

function placed<Options extends { readonly directory?: string }>(
  options: Options,
): Options & { readonly directory: string } {
  return { ...options, directory: options.directory ?? process.cwd() };
}
