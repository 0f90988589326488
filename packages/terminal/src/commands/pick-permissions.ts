import type { RememberedRule } from "@holdfast/sdk";
import type { Client } from "../client.ts";
import { reachServer } from "./reach-server.ts";
import { hostedAgent } from "../session/hosted-agent.ts";
import { modeMeanings, modeNames, modes } from "../session/mode.ts";
import { oneLine } from "../screen/text.ts";

/**
 * /mode: sets the named mode, or lets the user choose one. The list includes the modes that an external (hosted) agent
 * defines.
 */
export function pickMode(client: Client, named: string): void {
  const wanted = named.toLowerCase().replaceAll(/[\s-]/g, "");
  const known = modes.find((mode) => mode.toLowerCase() === wanted);
  if (known !== undefined) return void client.mode.set(known);
  const { name: agent = "", modes: offered = [] } = hostedAgent(client) ?? {};
  const own = offered.find(({ id }) => id === named);
  const setAgentMode = (id: string): void => {
    client.agentMode = id;
    client.say(`Mode of ${agent} from the next prompt on: ${id}`);
  };
  if (own !== undefined) return setAgentMode(own.id);
  client.pick<() => void>({
    title: "Mode:",
    empty: "",
    items: [
      ...modes.map((mode) => ({
        value: () => void client.mode.set(mode),
        label: modeNames[mode],
        detail: modeMeanings[mode],
      })),
      ...offered.map(({ id, name, description }) => ({
        value: () => setAgentMode(id),
        label: `${oneLine(agent)}: ${oneLine(name)}`,
        detail: oneLine(description),
      })),
    ],
    onChoose: (choose) => choose(),
  });
}

/** /rules: lists the rules stored by the answer "always". Choosing a rule removes it after a confirmation. */
export async function pickRule(client: Client): Promise<void> {
  const { directory } = client;
  const holdfast = await reachServer(client);
  if (holdfast === null) return;
  const sessionId = client.view?.handle.sessionId;
  const place = { directory, ...(sessionId === undefined ? {} : { sessionId }) };
  try {
    const { items, problems } = await holdfast.rules.list(place);
    for (const problem of problems) client.remark(problem, "warn");
    client.pick<RememberedRule>({
      title: "Remembered permissions:",
      empty: "No permission was remembered for this directory",
      hint: "Enter removes the rule · type to search · Esc closes",
      items: items.map((rule) => ({
        value: rule,
        label: ruleText(rule),
        detail: `in this ${rule.scope}`,
      })),
      onChoose: (rule) =>
        confirmRemoval(client, rule, async () => {
          const { scope, action, pattern } = rule;
          await holdfast.rules.revoke({ ...place, scope, action, pattern });
          client.say(`Removed: ${ruleText(rule)}`);
        }),
    });
  } catch (error) {
    client.fail(error);
  }
  return undefined;
}

function confirmRemoval(client: Client, rule: RememberedRule, remove: () => Promise<void>): void {
  client.pick<boolean>({
    title: `Remove "${oneLine(ruleText(rule))}"?`,
    empty: "",
    items: [
      { value: true, label: "Remove it", detail: "the agent asks again" },
      { value: false, label: "Keep it", detail: "" },
    ],
    onChoose: (isSure) => {
      if (isSure) remove().catch((error: unknown) => client.fail(error));
    },
  });
}

function ruleText({ effect, action, pattern }: RememberedRule): string {
  return `${effect} ${action} ${pattern}`;
}
