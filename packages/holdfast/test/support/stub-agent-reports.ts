/** Verbs of the stub agent that send one update about its session. */
export const reportVerbs: Readonly<Partial<Record<string, (words: string) => object>>> = {
  plan: (words) => {
    const entries = words.split(",").map((content, index) => {
      const status = index === 0 ? "in_progress" : "pending";
      return { content, priority: "medium", status };
    });
    return { sessionUpdate: "plan", entries };
  },
  cost: (words) => {
    const cost = { amount: Number(words), currency: "USD" };
    return { sessionUpdate: "usage_update", used: 10, size: 100, cost };
  },
  usage: (words) => ({ sessionUpdate: "usage_update", ...JSON.parse(words) }),
  commands: (words) => {
    const availableCommands = words.split(",").map((name) => ({ name, description: "" }));
    return { sessionUpdate: "available_commands_update", availableCommands };
  },
};
