/** Elements whose content is not readable text. */
const dropped: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
]);

const blocks: ReadonlySet<string> = new Set([
  ..."address article aside blockquote br dd div dl dt fieldset figcaption figure footer form".split(
    " ",
  ),
  ..."h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table title tr ul".split(" "),
]);

const entities: Readonly<Record<string, string | undefined>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  copy: "(c)",
  hellip: "...",
  mdash: "-",
  ndash: "-",
};

/**
 * Converts an HTML page to plain text: headings, list items and lines stay separate, and links keep their URL. Reads
 * the page only once, so that no page can make it slow.
 */
export function htmlToText(html: string, base: URL): string {
  const pieces: string[] = [];
  let place = 0;
  let link: string | null = null;
  while (place < html.length) {
    const open = html.indexOf("<", place);
    const end = open === -1 ? html.length : open;
    pieces.push(decodeEntities(html.slice(place, end)).replaceAll(/\s+/g, " "));
    if (open === -1) break;
    if (html.startsWith("<!--", open)) {
      place = after(html, "-->", open + 4);
      continue;
    }
    const tag = readTag(html, open);
    if (tag === null) {
      pieces.push("<");
      place = open + 1;
      continue;
    }
    place = tag.end;
    if (tag.name === "a") {
      if (link !== null) pieces.push(` (${link})`);
      link = tag.closing ? null : linkOf(tag.text, base);
    } else if (blocks.has(tag.name)) {
      pieces.push(tag.closing ? "\n" : `\n${prefixOf(tag.name)}`);
    } else if (tag.name === "td" || tag.name === "th") {
      pieces.push(" ");
    }
    if (dropped.has(tag.name) && !tag.closing) place = afterElement(html, tag);
  }
  return pieces
    .join("")
    .split("\n")
    .map((line) => line.replaceAll(/ {2,}/g, " ").trim())
    .filter((line) => line !== "" && line !== "-")
    .join("\n");
}

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly text: string;
  readonly end: number;
}

function readTag(html: string, open: number): Tag | null {
  const closing = html[open + 1] === "/";
  const start = open + (closing ? 2 : 1);
  // Tag names are short, so a longer name is not a relevant tag.
  const name = /^[a-z!?][a-z0-9]*/i.exec(html.slice(start, start + 32))?.[0];
  if (name === undefined) return null;
  const close = html.indexOf(">", start);
  const end = close === -1 ? html.length : close + 1;
  return { name: name.toLowerCase(), closing, text: html.slice(start, end), end };
}

function afterElement(html: string, tag: Tag): number {
  if (tag.text.endsWith("/>")) return tag.end;
  const close = new RegExp(`</${tag.name}[\\s>]`, "gi");
  close.lastIndex = tag.end;
  const found = close.exec(html);
  return found === null ? html.length : after(html, ">", found.index);
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

function prefixOf(name: string): string {
  if (/^h[1-6]$/.test(name)) return `${"#".repeat(Number(name[1]))} `;
  return name === "li" ? "- " : "";
}

function linkOf(tag: string, base: URL): string | null {
  const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag.slice(0, 4_000));
  const address = href?.[1] ?? href?.[2] ?? href?.[3];
  if (address === undefined || address.startsWith("#")) return null;
  const url = URL.parse(decodeEntities(address), base.href);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : null;
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return entities[name.toLowerCase()] ?? whole;
    const hex = name[1]?.toLowerCase() === "x";
    const code = Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
