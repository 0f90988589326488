import type { Holdfast, RememberedRule, RememberedRuleList, RulesPlace } from "@holdfast/sdk";
import { openClient } from "../../compose/client.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { ExitCode, JsonOption } from "../cli-error.ts";
import { folderOf, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { findSession } from "../ids.ts";
import { printable } from "../terminal/printable.ts";
import { printTable } from "../terminal/table.ts";
import type { Column } from "../terminal/table.ts";

export type RulesOptions = ClientOptions &
  JsonOption & { readonly directory: string; readonly session?: string };

/** `holdfast rules`: lists the remembered permission rules of a directory, with numbers for `revoke`. */
export async function listRules(options: RulesOptions): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "server");
  const { holdfast } = client;
  print(options, await holdfast.rules.list(await placeFor(holdfast, options)));
  return exitCodes.ok;
}

/** `holdfast rules revoke`: removes rules by their numbers, or all. */
export async function revokeRules(
  options: RulesOptions & { readonly rules: readonly string[]; readonly all?: true },
): Promise<ExitCode> {
  await using client = await openClient(placeOf(options), "server");
  const { holdfast } = client;
  const place = await placeFor(holdfast, options);
  const { items } = await holdfast.rules.list(place);
  const chosen = options.all === true ? items : options.rules.map((word) => ruleAt(items, word));
  if (options.all !== true && chosen.length === 0) {
    throw new CliError(
      "usage",
      "no rule is named; write the numbers of the rules, or use --all",
      exitCodes.usage,
    );
  }
  for (const { scope, action, pattern } of chosen) {
    await holdfast.rules.revoke({ ...place, scope, action, pattern });
    if (options.json !== true) console.log(`removed: ${action} ${printable(pattern)}`);
  }
  if (options.json === true) print(options, await holdfast.rules.list(place));
  else if (chosen.length === 0) console.log("There are no remembered rules.");
  return exitCodes.ok;
}

async function placeFor(holdfast: Holdfast, options: RulesOptions): Promise<RulesPlace> {
  const { session } = options;
  const directory = folderOf(options, options.directory);
  if (session !== undefined) {
    const sessionId = await findSession(holdfast, session);
    const { directory: own } = await holdfast.session(sessionId).get();
    return { directory: own, sessionId };
  }
  for await (const { parent, sessionId } of holdfast.sessions.each({ directory, limit: 20 })) {
    if (parent === null) return { directory, sessionId };
  }
  return { directory };
}

function ruleAt(items: readonly RememberedRule[], word: string): RememberedRule {
  const found = /^\d+$/.test(word) ? items[Number(word) - 1] : undefined;
  if (found !== undefined) return found;
  const problem = `there is no remembered rule ${word}; \`holdfast rules\` lists them with their numbers`;
  throw new CliError("unknownRule", problem, exitCodes.usage);
}

function print(
  options: Pick<RulesOptions, "json" | "session">,
  { items, problems }: RememberedRuleList,
): void {
  if (options.json === true) {
    console.log(JSON.stringify({ items, problems }));
    return;
  }
  for (const problem of problems) console.error(printable(problem));
  if (items.length === 0) {
    console.log("There are no remembered rules.");
    return;
  }
  const rows = items.map(({ scope, effect, action, pattern }, at) => [
    String(at + 1),
    scope,
    effect,
    `${action} ${printable(pattern)}`,
  ]);
  printTable(columns, rows);
  // The numbers of another session can mean other rules.
  const session = options.session === undefined ? "" : ` --session ${options.session}`;
  console.log(`\nTo remove one: holdfast rules${session} revoke <number>`);
}

const columns: readonly Column[] = [
  { title: "NUMBER", align: "right" },
  { title: "FOR", optional: 1 },
  { title: "EFFECT" },
  { title: "RULE", cut: "end", least: 20 },
];
