import { AgentFailure } from "../../agent/agent.ts";
import { factsOf } from "../../agent/model/model-facts.ts";
import type { Catalogue } from "../../agent/model/catalogue/catalogue.ts";
import { endOfLifeOf } from "../../agent/model/catalogue/end-of-life.ts";
import type { EndOfLife } from "../../agent/model/catalogue/end-of-life.ts";
import { builtInCatalogue } from "../../agent/model/catalogue/read-catalogue.ts";
import { findModel } from "../../agent/model/find-model.ts";
import type { Provider } from "../../agent/model/known-providers.ts";
import type { Config } from "../config/config.ts";
import type { Notice } from "../loader.ts";

/** Reports problems with the configured models when the config is loaded, before a run fails because of them. */
export function modelNotices(
  config: Config,
  choice: {
    readonly connected: readonly Provider[];
    readonly chosen: string | null;
    readonly catalogue: Catalogue | null;
    readonly now: number;
  },
): readonly Notice[] {
  const { connected, chosen } = choice;
  try {
    findModel(connected, chosen);
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    return [noticeOf("warning", "model", error.message)];
  }
  const named: [key: string, model: string | null][] = [
    ["model", chosen],
    ["smallModel", config.smallModel],
    ...[...config.agents].map(([name, { model }]): [string, string | null] => [
      `agents.${name}.model`,
      model,
    ]),
  ];
  const seen = new Set<string>();
  return named.flatMap(([key, model]) => {
    if (model === null || seen.has(model)) return [];
    seen.add(model);
    const end = endOfModel(model, choice);
    return end === null ? [] : [noticeOf(severities[end.status], key, end.message)];
  });
}

const severities = { ending: "warning", ended: "error" } as const;

/**
 * Describes the shutdown of a model, given as `provider/model`. Null if no shutdown is announced or it is far in the
 * future.
 */
export function endOfModel(
  id: string,
  options: { readonly catalogue: Catalogue | null; readonly now: number },
): EndOfLife | null {
  const catalogue = options.catalogue ?? builtInCatalogue();
  const { endOfLife } = factsOf(id, catalogue);
  if (endOfLife === null) return null;
  const found = catalogue.find(id);
  const newest = found === null ? null : catalogue.newest([found.model.family]);
  const successor = newest === found?.key ? null : newest;
  return endOfLifeOf({ id, endOfLife, successor }, options.now);
}

function noticeOf(severity: Notice["severity"], key: string, message: string): Notice {
  return { severity, file: null, line: null, column: null, key, message };
}
