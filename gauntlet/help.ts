import type { Program } from "./options.ts";

export function helpText({ program, kinds, usual }: Program): string {
  const names = kinds.map(({ name }) => name).join(", ");
  const hasStores = kinds.some(({ stores }) => stores.length > 0);
  const store =
    "\n  --store NAMES     Test Holdfast on these stores: sqlite, postgres (default: both)";
  return `Usage: ${program} [options] -- COMMAND [ARGUMENT...]

Tests how an agent that speaks ACP over stdio handles failures: cancels at bad moments, kill -9, a tool
that hangs, an MCP server that crashes. The agent is started in a scratch folder and talks to a scripted
model on this machine. Nothing is sent to a provider.

  --only TEXT       Run only scenarios whose name contains TEXT; may be repeated
  --list            List the scenarios with a description
  --json FILE       Write the results and the history of each scenario as JSON
  --html FILE       Write the results as an HTML page with a timeline of each scenario
  --badge FILE      Write the result of one target as an SVG badge
  --page FOLDER     Write a folder to publish: index.html, gauntlet.json and badge.svg
  --from FILE       Show results that --json wrote, without running scenarios; may be repeated
  --timeout SECONDS Wait this long for each expected result (default: 20)
  --target NAMES    Test these targets, separated by commas: ${names}
                    (default: acp if a command is given${usual === "acp" ? "" : `, otherwise ${usual}`})${hasStores ? store : ""}
  --version         Print the version
  --help            Print this help

These words in the agent's command are replaced:
  {address}    address of the model server, with /v1     {origin}     the same without a path
  {model}      name of the model                         {folder}     scratch folder, also HOME
  {directory}  folder of the project                     {key}        API key, which may be anything

OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL are set. The model server speaks the protocols of
OpenAI, Anthropic and Google. An agent that needs other settings gets them through env:
  ${program} -- env ANTHROPIC_BASE_URL={origin} ANTHROPIC_API_KEY=any my-agent --acp

Exit code: 0 if no scenario failed, 1 if a scenario failed, 2 if an option is
wrong or the agent could not be tested.`;
}
