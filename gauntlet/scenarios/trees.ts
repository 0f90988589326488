import type { Scenario } from "../scenario.ts";
import type { WantedCall } from "../target.ts";

// Scenarios with agents that work for other agents: a cancel and a limit must reach all of them.

/** Tokens that the simulated model server reports for each answer. */
const tokensPerAnswer = 15;

export const treeScenarios: readonly Scenario[] = [
  {
    name: "cancel reaches a grandchild",
    about: "A run is cancelled, but an agent two levels below it continues.",
    needs: ["cancel", "outcome", "agents"],
    play: async ({ target, stage, submit, cancel, ending, withTimeout, expect }) => {
      const sessionId = await target.createSession();
      stage.want("parent", target.calls.agent(stage.prompt("child")));
      stage.want("child", nested(target.calls.agent(stage.prompt("grandchild"))));
      const grandchild = stage.hold("grandchild");
      const parent = await submit(sessionId, "parent");
      await withTimeout("the model's call for grandchild", grandchild.arrived);
      await cancel(sessionId);
      expect("the end of parent", await ending(sessionId, parent), "cancelled");
      await withTimeout("the end of the call for grandchild", grandchild.dropped);
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      const asked = ["parent", "child", "grandchild", "after"];
      expect("what the model was asked", stage.served, asked);
    },
  },
  {
    name: "a cancelled child starts no run",
    about: "Everything is cancelled, but a background agent starts a new run when it ends.",
    needs: ["cancel", "outcome", "agents", "background"],
    play: async ({ target, stage, submit, ending, withTimeout, expect, note }) => {
      const sessionId = await target.createSession();
      stage.want("parent", target.calls.background(stage.prompt("child")));
      stage.want("child", nested(target.calls.background(stage.prompt("grandchild"))));
      const grandchild = stage.hold("grandchild");
      const parent = await submit(sessionId, "parent");
      await withTimeout("the model's call for grandchild", grandchild.arrived);
      expect("the end of parent", await ending(sessionId, parent), "completed");
      await withTimeout("the cancel", target.cancelTree(sessionId));
      note("everything is cancelled");
      await withTimeout("the end of the call for grandchild", grandchild.dropped);
      const asked = stage.served.length;
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      expect("what the model was asked since", stage.served.slice(asked), ["after"]);
    },
  },
  {
    name: "budget of a tree",
    about: "An agent two levels below a prompt exceeds the prompt's token limit.",
    needs: ["outcome", "agents", "budget"],
    play: async ({ target, stage, submit, ending, expect }) => {
      const sessionId = await target.createSession();
      const first = await submit(sessionId, "first", { tokens: 2 * tokensPerAnswer });
      expect("the end of first", await ending(sessionId, first), "completed");
      stage.want("parent", target.calls.agent(stage.prompt("child")));
      stage.want("child", nested(target.calls.agent(stage.prompt("grandchild"))));
      // The answers to parent and child together use up the budget.
      const parent = await submit(sessionId, "parent", { tokens: 2 * tokensPerAnswer });
      expect("the end of parent", await ending(sessionId, parent), "failed");
      const after = await submit(sessionId, "after");
      expect("the end of after", await ending(sessionId, after), "completed");
      expect("what the model was asked", stage.served, ["first", "parent", "child", "after"]);
    },
  },
];

/** Wraps a call for a nested sub-agent. Reports the feature as missing if a sub-agent cannot start sub-agents. */
function nested(call: WantedCall): WantedCall {
  return (tools) => {
    const found = typeof call === "function" ? call(tools) : call;
    if ("offer" in found || tools.includes(found.name)) return found;
    return { offer: "agents", why: "an agent that works for another has none of its own" };
  };
}
