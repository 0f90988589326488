import type { AgentContext } from "../agent.ts";
import type { SignInMethod } from "./foreign-session.ts";

/**
 * Asks a person before the sign-in of an agent starts. If the agent has several methods, the person chooses one. Null:
 * no sign-in.
 */
export async function askSignIn(
  methods: readonly SignInMethod[],
  { context, agent }: { readonly context: AgentContext; readonly agent: string },
): Promise<SignInMethod | null> {
  const [first, ...others] = methods;
  if (first === undefined) return null;
  const askId = `${context.runId}:sign-in-${context.attempt}`;
  if (others.length === 0) {
    const question = `${agent} needs a sign-in: ${first.name}. ${first.description}\nStart it now?`;
    const { verdict } = await context.ask({ askId, question });
    return verdict === "allow" ? first : null;
  }
  const lines = methods.map(({ name, description }) => `- ${name}: ${description}`);
  const answer = await context.ask({
    askId,
    question: [`${agent} needs a sign-in. Choose a method, which starts now:`, ...lines].join("\n"),
    extra: { kind: "question", choices: methods.map(({ name }) => name) },
  });
  if (answer.verdict !== "allow") return null;
  const chosen = answer.text?.trim().toLowerCase();
  return methods.find(({ name }) => name.toLowerCase() === chosen) ?? null;
}
