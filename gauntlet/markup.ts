const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML and SVG, so that it cannot become markup. The text comes from the programs under test. */
export function escapeMarkup(text: string): string {
  // Control characters are not allowed in SVG, even if they are escaped.
  const printable = text.replaceAll(/\p{Cc}/gu, " ");
  return printable.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
