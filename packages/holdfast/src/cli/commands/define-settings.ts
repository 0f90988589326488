import { Option } from "commander";
import type { Command } from "commander";
import { addClientOptions } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import type { ConfigOptions } from "./config-command.ts";
import { addFollowing } from "./define-maintenance.ts";
import { directoryOption, examples } from "../help-text.ts";
import type { FollowOptions } from "./maintenance-answer.ts";
import type { ConnectOptions } from "./providers-command.ts";

const protocols = ["anthropic", "openai", "google", "compatible"] as const;

/** Commands about what runs work with: providers, MCP servers, config, agents. */
export function defineSettings(program: Command, onDone: (exitCode: number) => void): void {
  defineProviders(program, onDone);
  defineMcp(program, onDone);
  defineConfig(program, onDone);
  defineLists(program, onDone);
}

function defineProviders(program: Command, onDone: (exitCode: number) => void): void {
  const providers = program
    .command("providers")
    .summary("list whom models are asked of, with masked keys")
    .addOption(directoryOption("the project; the current folder if left out"))
    .option("--json", "print the list as one line of JSON");
  addClientOptions(providers)
    .addHelpText("after", examples(["holdfast providers", "holdfast providers test anthropic"]))
    .action(async (options: PlaceOptions) => {
      onDone(await (await import("./providers-command.ts")).listProviders(options));
    });
  providers
    .command("test <provider>")
    .summary("try a provider's key by one cheap call")
    .action(async (provider: string) => {
      const { testProvider } = await import("./providers-command.ts");
      onDone(await testProvider({ ...providers.opts<PlaceOptions>(), provider }));
    });
  const connect = program
    .command("connect")
    .summary("connect a provider: its key is asked for, or read from stdin")
    .description(
      "Connect a provider of models for the next runs. The key is asked for at a terminal, read from " +
        "stdin, or taken from a variable; it is kept in a file that only you can read, and never " +
        "taken from the command line.",
    )
    .argument("<provider>", "anthropic, openai, google, openrouter, or a name of your own")
    .option("--key-env <variable>", "take the key from this variable of the environment")
    .option("--no-key", "for a server that wants no key")
    .option("--base-url <url>", "where it is, if not where this provider usually is")
    .addOption(
      new Option("--protocol <name>", "what it speaks, if its name does not say").choices(
        protocols,
      ),
    )
    .option("--model <name>", "which of its models is used when none is named");
  addClientOptions(addFollowing(connect))
    .addHelpText(
      "after",
      examples([
        "holdfast connect anthropic",
        "pass show openai | holdfast connect openai",
        "holdfast connect local --no-key --base-url http://127.0.0.1:8080/v1 --model qwen3",
      ]),
    )
    .action(async (provider: string, options: Omit<ConnectOptions, "provider">) => {
      const { connectProvider } = await import("./providers-command.ts");
      onDone(await connectProvider({ ...options, provider }));
    });
  const disconnect = program
    .command("disconnect")
    .summary("disconnect a provider: running work keeps it to its end, unless it is forced")
    .argument("<provider>", "its name")
    .option("--force", "cancel runs that use it, and let no request carry its key any more");
  addClientOptions(addFollowing(disconnect))
    .addHelpText("after", examples(["holdfast disconnect openai --force"]))
    .action(async (provider: string, options: ForceOptions) => {
      const { disconnectProvider } = await import("./providers-command.ts");
      onDone(await disconnectProvider({ ...options, provider }));
    });
}

function defineMcp(program: Command, onDone: (exitCode: number) => void): void {
  const mcp = program
    .command("mcp")
    .summary("list a directory's MCP servers, how they are and what they offer")
    .addOption(directoryOption("the project; the current folder if left out"))
    .option("--json", "print one line of JSON for each");
  addClientOptions(mcp)
    .addHelpText("after", examples(["holdfast mcp", "holdfast mcp restart files"]))
    .action(async (options: PlaceOptions) => {
      onDone(await (await import("./mcp-command.ts")).listMcpServers(placed(options)));
    });
  mcp
    .command("restart <server>")
    .summary("start one server anew for the next runs")
    .option("--force", "cancel the runs that use the old one")
    .option("--wait", "wait until the old one is gone")
    .action(async (name: string, options: { force?: true; wait?: true }) => {
      const { restartMcpServer } = await import("./mcp-command.ts");
      onDone(await restartMcpServer({ ...placed(mcp.opts<PlaceOptions>()), ...options, name }));
    });
}

function defineConfig(program: Command, onDone: (exitCode: number) => void): void {
  const config = program
    .command("config")
    .summary("print a project's config, check it, or say where it is")
    .addOption(directoryOption("the project; the current folder if left out"))
    .option("--user", "your own config instead of the project's")
    .option("--check", "say what is wrong with it; exits 1 if something is")
    .option("--path", "print where the file is, or would be")
    .option("--schema", "print its JSON schema, for editors")
    .option("--json", "print all of it as one line of JSON");
  addClientOptions(config)
    .addHelpText("after", examples(["holdfast config --check", "holdfast config --user --path"]))
    .action(async (options: Omit<ConfigOptions, "directory"> & { directory?: string }) => {
      onDone(await (await import("./config-command.ts")).showConfig(placed(options)));
    });
  const trust = program
    .command("trust")
    .summary("let a project's config run commands and use keys, exactly as it is now")
    .description(
      "A project's config can start servers, run hooks, allow tools and use keys. None of that " +
        "counts before a person has looked at it here, and it counts only until it is changed.",
    )
    .argument("[directory]", "the project; the current folder if left out")
    .option("--yes", "trust it without asking")
    .option("--forget", "trust nothing of it any more");
  addClientOptions(addFollowing(trust)).action(
    async (directory = process.cwd(), options: FollowingOptions & TrustOptions) => {
      const { trustConfig } = await import("./config-command.ts");
      onDone(await trustConfig({ ...options, directory: String(directory) }));
    },
  );
}

function defineLists(program: Command, onDone: (exitCode: number) => void): void {
  const list = (name: string, summary: string): Command =>
    addClientOptions(
      program
        .command(name)
        .summary(summary)
        .addOption(directoryOption("the project; the current folder if left out"))
        .option("--json", "print one line of JSON for each"),
    );
  list("agents", "list the agents that prompts can name in a directory").action(
    async (options: PlaceOptions) => {
      onDone(await (await import("./workspace-command.ts")).listAgents(placed(options)));
    },
  );
  list("commands", "list the commands that prompts can begin with in a directory").action(
    async (options: PlaceOptions) => {
      onDone(await (await import("./workspace-command.ts")).listCommands(placed(options)));
    },
  );
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
