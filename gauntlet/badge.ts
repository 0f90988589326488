import { counts } from "./report.ts";
import type { Report } from "./report.ts";
import { escapeMarkup } from "./markup.ts";

const label = "gauntlet";
const pixelsPerLetter = 6.6;
const padding = 6;

/** Returns an SVG badge with the number of passed and failed scenarios of a target. */
export function badge(report: Report, at: string): string {
  const { passed, failed } = counts(report);
  const value = failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`;
  const colour = failed === 0 && passed > 0 ? "#1a7f37" : "#b3151f";
  const [left, right] = [widthOf(label), widthOf(value)];
  const title = escapeMarkup(`${label}: ${value} (${report.target}, ${at.slice(0, 10)})`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="round"><rect width="${left + right}" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)">
<rect width="${left}" height="20" fill="#444b54"/>
<rect x="${left}" width="${right}" height="20" fill="${colour}"/>
</g>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">
${text(label, left / 2)}
${text(value, left + right / 2)}
</g>
</svg>
`;
}

function widthOf(words: string): number {
  return Math.round(words.length * pixelsPerLetter) + 2 * padding;
}

/** `textLength` makes the words fit into their box, even if the viewer uses a font of another width. */
function text(words: string, middle: number): string {
  return `<text x="${middle}" y="14" textLength="${widthOf(words) - 2 * padding}">${words}</text>`;
}
