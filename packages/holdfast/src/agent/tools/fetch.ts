import { z } from "zod";
import { htmlToText } from "./html-text.ts";
import { httpGet } from "./http-get.ts";
import type { Response } from "./http-get.ts";
import { capText, completed, failed } from "./result.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";

const maxRedirects = 5;

const input = z.object({
  url: z.string().min(1).max(8_000).describe("An HTTP or HTTPS URL."),
  raw: z.boolean().optional().describe("Return the page source instead of its text."),
});

type FetchInput = z.infer<typeof input>;

export const fetchTool: Tool<FetchInput> = {
  name: "fetch",
  description:
    "Gets a page or text file from the web. HTML is converted to plain text unless raw is set. A " +
    "redirect to another host is reported, not followed: fetch that URL if you need it. Addresses of this " +
    "machine and of private networks are blocked unless the settings allow them.",
  input,
  example: { url: "https://nodejs.org/api/fs.html" },
  repeatable: true,
  parallel: true,
  permission: ({ url }) => {
    const parsed = parseAddress(url);
    if (typeof parsed === "string") return null;
    return { action: "fetch", subject: parsed.href, preview: `Get ${parsed.href}` };
  },
  run: async ({ url, raw = false }, context) => {
    const parsed = parseAddress(url);
    if (typeof parsed === "string") return failed(parsed);
    const deadline = AbortSignal.timeout(context.settings.fetch.timeout);
    const signal = AbortSignal.any([context.signal, deadline]);
    try {
      return await getPage(parsed, { raw, context, signal });
    } catch (error) {
      if (context.signal.aborted) return failed("The run stopped before the call ended.");
      if (deadline.aborted) {
        return failed(`${parsed.href}: no answer within ${context.settings.fetch.timeout} ms`);
      }
      return failed(`${parsed.href}: ${errorText(error)}`);
    }
  },
};

async function getPage(
  start: URL,
  options: { raw: boolean; context: ToolContext; signal: AbortSignal },
): Promise<ToolResult> {
  const { raw, context, signal } = options;
  const { maxBytes, allowPrivate } = context.settings.fetch;
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await httpGet(url, { maxBytes, allowPrivate, signal, wants: isText });
    if (response.location === null || response.status < 300 || response.status >= 400) {
      return pageResult(response, { url, raw, context });
    }
    const next = parseAddress(URL.parse(response.location, url.href)?.href ?? response.location);
    if (typeof next === "string") return failed(`${url.href} redirects: ${next}`);
    // The permission covers only this host. Do not follow a redirect to another host.
    if (!isSameHost(url, next)) {
      return failed(`${url.href} redirects to another host: ${next.href}`, { redirect: next.href });
    }
    url = next;
  }
  return failed(`${start.href} redirects more than ${maxRedirects} times`);
}

function pageResult(
  response: Response,
  options: { url: URL; raw: boolean; context: ToolContext },
): ToolResult {
  const { url, raw, context } = options;
  const { status, contentType, bytes } = response;
  const type = contentType.split(";")[0]?.trim() || "of unknown type";
  if (!isText(contentType)) return failed(`${url.href} is ${type}, not text (status ${status})`);
  const text = decode(bytes, contentType);
  const isHtml = /^(?:text\/html|application\/xhtml)/i.test(contentType);
  const shown = isHtml && !raw ? htmlToText(text, url) : text;
  const capped = capText(shown, context.settings.maxOutput);
  const truncated = capped.truncated || response.truncated;
  const notes = response.truncated ? [`[only the first ${bytes.length} bytes were read]`] : [];
  const output = [capped.text || "(empty)", ...notes].join("\n");
  const ok = status >= 200 && status < 300;
  return ok
    ? completed(output, { truncated, status })
    : failed(`status ${status}\n${output}`, { truncated, status });
}

function parseAddress(text: string): URL | string {
  const url = URL.parse(text);
  if (url === null) return `${text.slice(0, 200)} is not a URL`;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return "Only HTTP and HTTPS URLs are supported.";
  if (url.username !== "" || url.password !== "") {
    return "A URL with a user name or password is not allowed.";
  }
  return url;
}

function isSameHost(from: URL, to: URL): boolean {
  const upgraded = from.protocol === "http:" && to.protocol === "https:";
  return from.hostname === to.hostname && (from.host === to.host || (upgraded && to.port === ""));
}

function isText(contentType: string): boolean {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  return (
    type.startsWith("text/") ||
    /^application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|toml|sql|x-sh|x-ndjson|xhtml\+xml)$/.test(
      type,
    )
  );
}

function decode(bytes: Buffer, contentType: string): string {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) {
    return error.errors[0].message;
  }
  return error instanceof Error ? error.message : String(error);
}
