import { isKnownAgent } from "../../agent/hosted/known-agents.ts";
import { usualLimits } from "../../agent/setup.ts";
import { shown } from "../../agent/tools/paths.ts";
import { defaultToolSettings } from "../../agent/tools/tool.ts";
import type { Notice } from "../loader.ts";
import { digestOf } from "./canonical.ts";
import { durationText, milliseconds } from "./duration.ts";
import type { AgentEntry, McpEntry, ProviderEntry } from "./file-schema.ts";
import type { Layer, LayerValue } from "./layer.ts";
import { keyText, notice } from "./source.ts";
import type { KeyPath } from "./source.ts";
import { entryOf, valueAt } from "./resolving.ts";

/**
 * Privileged settings: settings of a project's config that could harm the user. They take effect only after a person
 * trusts them.
 */
export interface Powers {
  /** Digest of all settings in the project's config that need the user's trust. Null if there are none. */
  readonly digest: string | null;
  readonly trusted: boolean;
  readonly list: readonly Power[];
}

export interface Power {
  /** Key such as `mcp.files`. */
  readonly key: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Description of the setting's effect, shown to people. */
  readonly summary: string;
}

export interface FoundPower {
  readonly path: KeyPath;
  readonly summary: string;
  /** Further details that a person must see before trusting the setting. */
  readonly details?: readonly string[];
}

/** Finds the project's privileged settings: those that allow more than the user's own config. */
export function findPowers(project: LayerValue, user: LayerValue): readonly FoundPower[] {
  return [
    ...entriesOf(project.mcp).flatMap(([name, entry]) => mcpPower(name, entry)),
    ...entriesOf(project.providers).map(([name, entry]) => providerPower(name, entry)),
    ...hookPowers(project),
    ...rulePowers([], project.permissions),
    ...entriesOf(project.agents).flatMap(([name, entry]) => agentPowers(name, entry, user)),
    ...choicePowers(project, user),
    ...modelPowers(project, user),
    ...sandboxPowers(project, user),
    ...limitPowers(project, user),
  ];
}

/** Returns a digest of the exact privileged settings. A list of rules is hashed as a whole, because order matters. */
export function powersDigest(project: LayerValue, found: readonly FoundPower[]): string | null {
  if (found.length === 0) return null;
  const whole = new Map(found.map(({ path }) => [keyText(groupOf(path)), groupOf(path)] as const));
  return digestOf([...whole].map(([key, path]) => [key, valueAt(project, path)]).toSorted(byKey));
}

export function powersList(layer: Layer, found: readonly FoundPower[]): readonly Power[] {
  return found.map(({ path, summary, details = [] }) => ({
    key: keyText(path),
    ...layer.place(path),
    summary: [summary, ...details].join(", "),
  }));
}

export function withoutPowers(project: LayerValue, found: readonly FoundPower[]): LayerValue {
  const copy = structuredClone(project);
  // Remove later entries of a list first, so that the indexes of earlier entries stay valid.
  for (const { path } of found.toReversed()) remove(copy, path);
  return copy;
}

export function untrustedNotices(layer: Layer, found: readonly FoundPower[]): readonly Notice[] {
  const groups = Map.groupBy(found, ({ path }) => keyText(groupOf(path)));
  return [...groups.values()].flatMap((powers) => {
    const [first] = powers;
    if (first === undefined) return [];
    const path = groupOf(first.path);
    const summaries = powers.slice(0, 3).map(({ summary }) => short(summary));
    const more = powers.length > 3 ? [`and ${powers.length - 3} more`] : [];
    const subject =
      path === first.path ? "is" : powers.length === 1 ? "an entry is" : "entries are";
    const advice = "until you trust this project (`holdfast trust`)";
    const message = `${subject} ignored ${advice}: ${[...summaries, ...more].join(", ")}`;
    return [notice("warning", { place: layer.place(path), path, message })];
  });
}

function mcpPower(name: string, entry: McpEntry): readonly FoundPower[] {
  const { command, url, enabled } = entry;
  if (enabled === false) return [];
  const summary =
    command !== undefined
      ? `starts the program ${shown(command.join(" "))}`
      : url !== undefined
        ? `connects to ${shown(withoutPassword(url))}`
        : `changes your MCP server ${name}`;
  const place = entry.cwd === undefined ? [] : [`in ${shown(entry.cwd)}`];
  const details = [
    ...place,
    ...settings(entry.env, "="),
    ...settings(entry.headers, ": "),
    ...settings(definedOf(entry.oauth), ": "),
  ];
  return [{ path: ["mcp", name], summary, details }];
}

function providerPower(name: string, { baseUrl, key, headers }: ProviderEntry): FoundPower {
  const to = baseUrl === undefined ? "" : ` at ${shown(withoutPassword(baseUrl))}`;
  const own = key === undefined ? [] : [`with the key ${shown(key)}`];
  const details = [...own, ...settings(headers, ": ")];
  return { path: ["providers", name], summary: `sends prompts to ${name}${to}`, details };
}

function definedOf(
  entries: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}

/** Formats variables or headers for people. References are shown as written; their values are never shown. */
function settings(
  entries: Readonly<Record<string, string>> | undefined,
  sign: string,
): readonly string[] {
  return Object.entries(entries ?? {}).map(([name, value]) => `with ${shown(name + sign + value)}`);
}

function withoutPassword(address: string): string {
  return address.replace(/(:\/\/[^/@:]*):[^/@]*@/, "$1:***@");
}

const moments = {
  promptAccepted: "for each prompt",
  beforeTool: "before tools",
  afterTool: "after tools",
  settled: "when prompts end",
  notice: "for each notification",
} as const;

function hookPowers({ hooks = {} }: LayerValue): readonly FoundPower[] {
  const names = ["promptAccepted", "beforeTool", "afterTool", "settled", "notice"] as const;
  return names.flatMap((name) =>
    (hooks[name] ?? []).map(({ command }, index) => ({
      path: ["hooks", name, index],
      summary: `runs ${shown(command)} ${moments[name]}`,
    })),
  );
}

function rulePowers(path: KeyPath, rules: AgentEntry["permissions"] = []): readonly FoundPower[] {
  return rules.flatMap(({ action, pattern, effect }, index) =>
    effect === "allow"
      ? [
          {
            path: [...path, "permissions", index],
            summary: `allows ${action === "*" ? "everything" : action} ${shown(pattern)} without asking`,
          },
        ]
      : [],
  );
}

/**
 * Finds privileged settings in an agent. Every change to one of the user's own agents is privileged, because that agent
 * may have many permissions.
 */
function agentPowers(name: string, entry: AgentEntry, user: LayerValue): readonly FoundPower[] {
  const path = ["agents", name];
  if (entryOf(user.agents, name) !== undefined) {
    return [{ path, summary: `changes your agent ${name}` }];
  }
  const { acp, permissions } = entry;
  if (acp === undefined) return rulePowers(path, permissions);
  const summary =
    acp.command === undefined
      ? "starts an installed agent"
      : `starts the program ${shown(acp.command.join(" "))}`;
  const allowed = rulePowers(path, permissions).map((rule) => rule.summary);
  // The path is that of the whole agent: without `acp`, Holdfast's own agent would answer in its name.
  return [{ path, summary, details: [...settings(acp.env, "="), ...allowed] }];
}

function choicePowers(project: LayerValue, user: LayerValue): readonly FoundPower[] {
  const reasonOf = (name: string | undefined): string | null => {
    if (name === undefined) return null;
    const own = entryOf(user.agents, name);
    const allows = (own?.permissions ?? []).some(({ effect }) => effect === "allow");
    if (allows) return `uses your agent ${name} with its permissions`;
    const added = own === undefined ? entryOf(project.agents, name) : undefined;
    if (added?.acp !== undefined) return `uses the agent ${name} of this project`;
    const isHosted = own?.acp !== undefined || (own === undefined && isKnownAgent(name));
    // Selecting a hosted agent is privileged: it sends the project's files to its own provider, at the user's cost.
    return isHosted && added === undefined ? `uses the installed agent ${name}` : null;
  };
  const choose = (path: KeyPath, name: string | undefined): readonly FoundPower[] => {
    const summary = reasonOf(name);
    return summary === null ? [] : [{ path, summary }];
  };
  const commands = entriesOf(project.commands).flatMap(([name, { agent }]) =>
    // Replacing one of the user's commands is privileged, because the user expects their own command under this name.
    entryOf(user.commands, name) === undefined
      ? choose(["commands", name, "agent"], agent)
      : [{ path: ["commands", name], summary: `replaces your command ${name}` }],
  );
  return [...choose(["agent"], project.agent), ...commands];
}

/**
 * Finds settings that select a model or its reasoning. The model decides where a project's files are sent, and both
 * decide the cost of a run.
 */
function modelPowers(project: LayerValue, user: LayerValue): readonly FoundPower[] {
  // Check only agents and commands that the project adds. If the project changes an agent or a command of the user,
  // other checks already report the whole change.
  const isAdded = (key: "agents" | "commands", name: string): boolean =>
    !Object.hasOwn(user[key] ?? {}, name);
  const added = (key: "agents" | "commands"): FoundPower[] =>
    Object.entries(project[key] ?? {}).flatMap(([name, entry]) =>
      isAdded(key, name)
        ? [...choice([key, name, "model"], entry.model), ...reasoningPowers([key, name], entry)]
        : [],
    );
  return [
    ...choice(["model"], project.model, user.model),
    ...reasoningPowers([], project, user),
    ...choice(["smallModel"], project.smallModel, user.smallModel),
    ...added("agents"),
    ...added("commands"),
  ];
}

function choice(path: KeyPath, wanted: string | undefined, own?: string): FoundPower[] {
  if (wanted === undefined || wanted === own) return [];
  return [{ path, summary: `chooses the model ${shown(wanted)}` }];
}

function reasoningPowers(
  path: readonly string[],
  wanted: Pick<LayerValue, "effort" | "thinking">,
  own: Pick<LayerValue, "effort" | "thinking"> = {},
): FoundPower[] {
  const found: FoundPower[] = [];
  const { effort, thinking } = wanted;
  if (effort !== undefined && effort !== own.effort) {
    found.push({ path: [...path, "effort"], summary: `sets the effort to ${effort}` });
  }
  if (thinking === true && own.thinking !== true) {
    found.push({ path: [...path, "thinking"], summary: "turns thinking on" });
  }
  return found;
}

const strictness = { off: 0, auto: 1, required: 2 } as const;

function sandboxPowers({ sandbox }: LayerValue, user: LayerValue): readonly FoundPower[] {
  if (sandbox === undefined) return [];
  const { shell, network, allowedPaths = [], privateAddresses, variables = [] } = sandbox;
  const own = user.sandbox ?? {};
  const isLooser = shell !== undefined && strictness[shell] < strictness[own.shell ?? "auto"];
  const found: FoundPower[] = [];
  const add = (key: string, summary: string): void => {
    found.push({ path: ["sandbox", key], summary });
  };
  if (isLooser) add("shell", `sets the sandbox of commands to ${shell}`);
  if (network === true && own.network !== true) add("network", "gives commands network access");
  if (allowedPaths.length > 0) {
    add("allowedPaths", `allows access to ${allowedPaths.map(shown).join(", ")}`);
  }
  const added = variables.filter((name) => own.variables?.includes(name) !== true);
  if (added.length > 0) add("variables", `gives commands the variables ${added.join(", ")}`);
  if (privateAddresses === true && own.privateAddresses !== true) {
    add("privateAddresses", "allows fetching pages of this machine and of private networks");
  }
  return found;
}

/** Limits that apply if no config sets them. */
const defaultLimits = {
  maxSteps: usualLimits.maxSteps,
  stopGrace: durationText(usualLimits.stopGrace),
  shellTimeout: durationText(defaultToolSettings.shell.timeout),
  fetchTimeout: durationText(defaultToolSettings.fetch.timeout),
};

/**
 * Finds limits that the project sets higher than the limit in force without the project: that of the user's config,
 * else the default. A limit without a default is unlimited, so a project can only lower it.
 */
function limitPowers(project: LayerValue, user: LayerValue): readonly FoundPower[] {
  const found: FoundPower[] = [];
  const compare = <Limit extends string | number>(
    path: KeyPath,
    wanted: Limit | undefined,
    { own, usual }: { own: Limit | undefined; usual?: Limit },
  ): void => {
    const present = own ?? usual;
    if (wanted === undefined || present === undefined) return;
    if (amountOf(wanted) <= amountOf(present)) return;
    const whose = own === undefined ? "the default" : "your";
    found.push({ path, summary: `raises ${whose} limit from ${present} to ${wanted}` });
  };
  const { limits = {} } = project;
  const own = user.limits ?? {};
  const { maxSteps } = defaultLimits;
  compare<number>(["limits", "maxSteps"], limits.maxSteps, { own: own.maxSteps, usual: maxSteps });
  for (const key of ["tokens", "cost"] as const) {
    compare(["limits", "budget", key], limits.budget?.[key], { own: own.budget?.[key] });
  }
  for (const key of ["stopGrace", "shellTimeout", "fetchTimeout"] as const) {
    compare<string>(["limits", key], limits[key], { own: own[key], usual: defaultLimits[key] });
  }
  compare(["limits", "budgetAskTime"], limits.budgetAskTime, { own: own.budgetAskTime });
  if (limits.onBudget === "ask" && own.budget !== undefined && own.onBudget !== "ask") {
    found.push({
      path: ["limits", "onBudget"],
      summary: "asks for more budget where your config fails the run",
    });
  }
  const { recovery } = project;
  if (recovery !== undefined && user.recovery !== undefined && recovery !== user.recovery) {
    found.push({
      path: ["recovery"],
      summary: `changes your recovery setting from ${user.recovery} to ${recovery}`,
    });
  }
  return found;
}

function amountOf(limit: string | number): number {
  return typeof limit === "number" ? limit : milliseconds(limit);
}

/**
 * Returns the path of the list that an entry belongs to. Rules and hooks are shown one by one, but trusted as a list.
 */
function groupOf(path: KeyPath): KeyPath {
  return typeof path.at(-1) === "number" ? path.slice(0, -1) : path;
}

function remove(value: unknown, path: KeyPath): void {
  const parent = valueAt(value, path.slice(0, -1));
  const key = path.at(-1);
  if (typeof parent !== "object" || parent === null || key === undefined) return;
  if (Array.isArray(parent) && typeof key === "number") parent.splice(key, 1);
  else Reflect.deleteProperty(parent, key);
}

function entriesOf<Value>(record: Readonly<Record<string, Value>> | undefined): [string, Value][] {
  return Object.entries(record ?? {});
}

function byKey(left: readonly unknown[], right: readonly unknown[]): number {
  return String(left[0]) < String(right[0]) ? -1 : 1;
}

/** Shortens a text for a warning. The list of privileged settings shows the full text. */
function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120).toWellFormed()}…` : text;
}
