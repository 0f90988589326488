/**
 * Returns the names under which the catalogue may list a model, most exact first. Services spell the same model in many
 * ways: `anthropic/claude-sonnet-5.5`, `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-sonnet-4-5@20250929`.
 */
export function lookupKeys(name: string): readonly string[] {
  const whole = keyOf(name);
  const bare = whole.replace(/:.*$/, "");
  const undated = withoutDate(bare);
  const plain = undated.replace(/-(?:latest|preview|instruct|it|chat)$/, "");
  return [...new Set([whole.replaceAll(":", "-"), bare, undated, plain])];
}

/** Returns the normalized model name, without host, region, deployment version and spelling differences. */
export function keyOf(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  return last
    .replace(/^~/, "")
    .replace(/^(?:us-gov|us|eu|apac|au|ca|jp|in|global)\./, "")
    .replace(/^[a-z][a-z-]*\.(?=[a-z])(?!v\d)/, "")
    .replace(/@(?=\d|default)/, "-")
    .replace(/-default$/, "")
    .replace(/-v?\d+:\d+$|(?<=\d)-v1$/, "")
    .replace(/^(llama|qwen|gemma|phi|granite)-(?=\d)/, "$1")
    .replaceAll(/(?<=\d)[.p](?=\d)/g, "-");
}

/** Removes the date of a snapshot, such as -20250929 or -2024-08-06. */
export function withoutDate(key: string): string {
  return key.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/, "");
}

/** Returns the model family: the name without version numbers, such as `claude-sonnet` or `gpt-sol`. */
export function familyOf(name: string): string {
  return withoutDate(keyOf(name))
    .split("-")
    .map((word) => (/^v?\d+$/.test(word) ? "" : word.replace(/\d+$/, "")))
    .filter((word) => word !== "")
    .join("-");
}

/** Returns the version numbers in a name: [5, 6] for gpt-5.6-sol. */
export function versionOf(name: string): readonly number[] {
  const words = withoutDate(keyOf(name)).split("-");
  return words.flatMap((word) => {
    const digits = /^[a-z]*?(\d+)$/.exec(word)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
}

/** Compares two versions. The result is positive if the first is newer. */
export function compareVersions(first: readonly number[], second: readonly number[]): number {
  const length = Math.max(first.length, second.length);
  for (let place = 0; place < length; place += 1) {
    const difference = (first[place] ?? 0) - (second[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** True for a model that its vendor offers for permanent use: no preview, no moving alias, no dated snapshot. */
export function isStable(name: string): boolean {
  const key = keyOf(name);
  return withoutDate(key) === key && !/preview|beta|alpha|exp|latest|batch|fast|free|:/.test(key);
}
