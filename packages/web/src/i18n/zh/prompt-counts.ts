/** Returns for example "1 条运行中、2 条排队中的提示词". Leaves out kinds with 0 prompts. */
export function promptCounts(counts: {
  running: number;
  queued: number;
  background: number;
}): string {
  const { running, queued, background } = counts;
  const kinds = Object.entries({ 运行中: running, 排队中: queued, 后台: background });
  const shown = kinds.filter(([, number]) => number > 0);
  if (shown.length === 0) return "0 条提示词";
  return `${shown.map(([kind, number]) => `${number} 条${kind}`).join("、")}的提示词`;
}
