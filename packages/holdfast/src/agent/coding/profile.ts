import { AgentFailure } from "../agent.ts";
import type { AgentContext } from "../agent.ts";
import { choosingPrompt, chosenAgent } from "../choosing-prompt.ts";
import type { UserMessage } from "../message.ts";
import type { Model } from "../model/model.ts";
import { mergeWishes } from "../model/reasoning.ts";
import type { ReasoningWish } from "../model/reasoning.ts";
import { namedProfile } from "../named-profile.ts";
import type { AgentProfile, AgentSetup } from "../setup.ts";
import { pathGlob } from "../tools/glob-pattern.ts";
import type { Tool } from "../tools/tool.ts";

/**
 * Selects the agent profile, the model and the reasoning of a run. Settings of the prompt override those of its agent,
 * and these override the directory's config. A wrong name in a prompt fails only this prompt and does not pause the
 * session (L4).
 */
export async function profileFor(
  setup: AgentSetup,
  context: Pick<AgentContext, "prompts" | "runId" | "conversation" | "agent">,
): Promise<{
  readonly profile: AgentProfile;
  readonly model: Model;
  readonly wish: ReasoningWish;
  /** True if the prompt names the model. The next prompt may use another one. */
  readonly isNamed: boolean;
}> {
  const { runId } = context;
  const prompt = await choosingPrompt(context);
  const profile = namedProfile(setup, chosenAgent(context, prompt));
  const isNamed = prompt?.model !== undefined;
  const wanted = prompt?.model ?? profile.model;
  try {
    const model = await setup.models.open(wanted, { runId });
    const wishes = [prompt, profile.wish, model.wish, setup.wish].filter(
      (wish) => wish !== undefined,
    );
    return { profile, model, wish: mergeWishes(wishes), isNamed };
  } catch (error) {
    throw isNamed && error instanceof AgentFailure ? withoutHold(error) : error;
  }
}

/**
 * Returns the model of a run that this prompt starts; null: the default model. The models of a hosted agent are not
 * models of Holdfast, so the result is null too.
 */
export function modelOfRun(
  setup: AgentSetup,
  prompt: UserMessage,
  context: Pick<AgentContext, "agent">,
): string | null {
  const profile = namedProfile(setup, chosenAgent(context, prompt));
  return profile.hosted === true ? null : (prompt.model ?? profile.model);
}

/** Returns the same failure, but one that does not pause the session. */
export function withoutHold(failure: AgentFailure): AgentFailure {
  return new AgentFailure(failure.reason, failure.message, { cause: failure });
}

/** Returns the tools of a profile, always as the same array, because tool definitions are cached by array. */
export function toolsFor({ tools }: AgentSetup, profile: AgentProfile): readonly Tool[] {
  if (profile.tools === null) return tools;
  const known = chosenTools.get(profile);
  if (known !== undefined) return known;
  const matchers = profile.tools.map((pattern) => pathGlob(pattern));
  const chosen = tools.filter(({ name }) => matchers.some((matches) => matches(name)));
  chosenTools.set(profile, chosen);
  return chosen;
}

const chosenTools = new WeakMap<AgentProfile, readonly Tool[]>();
