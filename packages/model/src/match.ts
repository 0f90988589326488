/**
 * Returns how well a text matches a search; 0 means not at all. All words must occur. A match at the start of a word
 * scores higher than one in the middle.
 */
export function matchScore(text: string, typed: string): number {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const lower = text.toLowerCase();
  let score = 1;
  for (const word of words) {
    const at = lower.indexOf(word);
    if (at === -1) return 0;
    const isBegin = at === 0 || /[^\p{L}\p{N}]/u.test(lower[at - 1] ?? "");
    score += isBegin ? 2 : 1;
  }
  return score + 1 / (1 + lower.length);
}
