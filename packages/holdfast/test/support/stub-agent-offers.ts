/** The models and modes that the stub agent offers, in the older form of ACP or as config options. */
export function offers(
  mode: ReadonlySet<string>,
  current: { readonly model: string; readonly mode: string },
): object {
  const models = ["small", "large"].map((name) => ({ id: name, name: `Model ${name}` }));
  const modes = ["default", "plan", "yolo"].map((name) => ({ id: name, name: `Mode ${name}` }));
  if (mode.has("has options")) {
    const option = (category: "model" | "mode", all: typeof models): object => ({
      id: `the-${category}`,
      category,
      type: "select",
      name: category,
      currentValue: current[category],
      options: all.map(({ id, name }) => ({ value: id, name })),
    });
    return { configOptions: [option("model", models), option("mode", modes)] };
  }
  if (!mode.has("offers")) return {};
  return {
    models: {
      currentModelId: current.model,
      availableModels: models.map(({ id, name }) => ({ modelId: id, name })),
    },
    modes: { currentModeId: current.mode, availableModes: modes },
  };
}

export function signInMethods(mode: ReadonlySet<string>): readonly object[] {
  const browser = { id: "browser", name: "Browser", description: "Opens one." };
  const key = { id: "key", name: "API key", description: "Uses the key in the settings." };
  return mode.has("two sign-ins") ? [browser, key] : [browser];
}
