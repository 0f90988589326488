/** The beginning and the end of a text that is too long, with a line between that says so. */
export function capText(
  text: string,
  max: number,
): { readonly text: string; readonly truncated: boolean } {
  if (text.length <= max) return { text, truncated: false };
  const head = Math.ceil(max / 2);
  const tail = max - head;
  const left = text.length - max;
  const end = tail === 0 ? "" : text.slice(-tail);
  return {
    text: `${text.slice(0, head)}\n[... ${left} characters left out ...]\n${end}`,
    truncated: true,
  };
}
