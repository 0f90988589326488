import type { LayerValue } from "./layer.ts";

/**
 * Merges the project's config over the user's: objects are merged, lists are concatenated, other values are
 * replaced.
 */
export function mergeLayers(user: LayerValue, project: LayerValue): LayerValue {
  return {
    ...user,
    ...project,
    agents: mergeNamed(user.agents, project.agents, (own, over) => ({
      ...own,
      ...over,
      permissions: [...(own.permissions ?? []), ...(over.permissions ?? [])],
    })),
    commands: { ...user.commands, ...project.commands },
    permissions: [...(user.permissions ?? []), ...(project.permissions ?? [])],
    mcp: mergeNamed(user.mcp, project.mcp, (own, over) =>
      // The project defines a different server under this name. Inherit nothing from the user's server, such as its
      // headers.
      over.command !== undefined || over.url !== undefined || over.type !== undefined
        ? over
        : {
            ...own,
            ...over,
            env: { ...own.env, ...over.env },
            headers: { ...own.headers, ...over.headers },
          },
    ),
    providers: mergeNamed(user.providers, project.providers, (own, over) => ({
      ...own,
      ...over,
      headers: { ...own.headers, ...over.headers },
      models: mergeNamed(own.models, over.models, (left, right) => ({ ...left, ...right })),
    })),
    limits: {
      ...user.limits,
      ...project.limits,
      budget: { ...user.limits?.budget, ...project.limits?.budget },
      // Spending caps apply to all projects, so no project can set them.
      daily: user.limits?.daily,
      monthly: user.limits?.monthly,
      token: user.limits?.token,
    },
    // Retention and quotas apply to all projects, so no project can set them.
    retention: user.retention ?? {},
    quotas: user.quotas ?? {},
    // No project can set the catalogue, because its prices determine when a budget is used up.
    modelCatalogue: user.modelCatalogue,
    sandbox: {
      ...user.sandbox,
      ...project.sandbox,
      variables: [
        ...new Set([...(user.sandbox?.variables ?? []), ...(project.sandbox?.variables ?? [])]),
      ],
    },
    hooks: {
      promptAccepted: [
        ...(user.hooks?.promptAccepted ?? []),
        ...(project.hooks?.promptAccepted ?? []),
      ],
      beforeTool: [...(user.hooks?.beforeTool ?? []), ...(project.hooks?.beforeTool ?? [])],
      afterTool: [...(user.hooks?.afterTool ?? []), ...(project.hooks?.afterTool ?? [])],
      settled: [...(user.hooks?.settled ?? []), ...(project.hooks?.settled ?? [])],
      notice: [...(user.hooks?.notice ?? []), ...(project.hooks?.notice ?? [])],
    },
  };
}

function mergeNamed<Entry>(
  user: Readonly<Record<string, Entry>> = {},
  project: Readonly<Record<string, Entry>> = {},
  combine: (own: Entry, over: Entry) => Entry,
): Record<string, Entry> {
  const result = new Map(Object.entries(user));
  for (const [name, over] of Object.entries(project)) {
    const own = result.get(name);
    result.set(name, own === undefined ? over : combine(own, over));
  }
  return Object.fromEntries([...result].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
