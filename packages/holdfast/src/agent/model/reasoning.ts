import type { ModelFacts } from "./model-facts.ts";

/** Effort levels, from low to high. */
export const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;

export type Effort = (typeof efforts)[number];

/** Reasoning settings of a prompt, an agent or a config. Missing: the provider's default. */
export interface ReasoningWish {
  readonly effort?: Effort;
  /** False: answer without thinking first, if the model allows it. */
  readonly thinking?: boolean;
}

/**
 * Merges reasoning settings, sorted from most to least specific. An effort overrides the `thinking` of less specific
 * settings, because it implies that the model should think.
 */
export function mergeWishes(
  wishes: readonly { readonly [Field in keyof ReasoningWish]?: ReasoningWish[Field] | undefined }[],
): ReasoningWish {
  const effort = wishes.find((wish) => wish.effort !== undefined)?.effort;
  const first = wishes.find((wish) => wish.effort !== undefined || wish.thinking !== undefined);
  const thinking = first?.thinking;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}

/** Reasoning abilities of a model. */
export interface Reasoning {
  /** Supported effort levels, from low to high. */
  readonly efforts: readonly Effort[];
  /** False if the model always thinks. */
  readonly canStop: boolean;
  /** True if the model itself decides how much to think, and the level only guides it (Claude 4.6 and later). */
  readonly adaptive: boolean;
}

/** `none`: do not think. `default`: think as much as the provider's default. */
export type ReasoningLevel = Effort | "none" | "default";

/**
 * Returns the reasoning level to request from the model; null: request none. If the model does not support the wanted
 * level, returns the next lower one or, if there is none, the next higher one. If it is unknown what the model supports
 * (`undefined`), returns the wanted level.
 */
export function levelFor(
  { effort, thinking }: ReasoningWish,
  reasoning: Reasoning | null | undefined,
): ReasoningLevel | null {
  if (reasoning === null) return null;
  if (thinking === false) {
    const [lowest = null] = reasoning?.efforts ?? [];
    return reasoning === undefined || reasoning.canStop ? "none" : lowest;
  }
  if (effort === undefined) return thinking === true ? "default" : null;
  return reasoning === undefined ? effort : nearest(effort, reasoning.efforts);
}

function nearest(wanted: Effort, supported: readonly Effort[]): Effort | null {
  const place = efforts.indexOf(wanted);
  const inOrder = [...efforts.slice(0, place + 1).toReversed(), ...efforts.slice(place + 1)];
  return inOrder.find((effort) => supported.includes(effort)) ?? null;
}

/** Returns the reasoning abilities of a model. Null: the model does not reason. Undefined: unknown. */
export function reasoningOf({
  reasoning,
  adaptive,
}: Pick<ModelFacts, "reasoning" | "adaptive">): Reasoning | null | undefined {
  if (reasoning === null) return undefined;
  if (reasoning.length === 0) return null;
  const supported = efforts.filter((effort) => reasoning.includes(effort));
  return { efforts: supported, canStop: reasoning.includes("off"), adaptive };
}
