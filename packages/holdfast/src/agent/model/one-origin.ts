import { ModelError } from "./model.ts";

/**
 * Wraps `fetch` so that keys and prompts are sent only to the configured host. Follows redirects only within that host,
 * because `fetch` itself would send headers such as `x-api-key` to another host.
 */
export function oneOrigin(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    let url = input instanceof Request ? input.url : String(input);
    if (init?.redirect === "error") return withStatus(await send(url, init));
    for (let redirects = 0; ; redirects += 1) {
      const answer = await send(url, { ...init, redirect: "manual" });
      const location = answer.headers.get("location");
      if (!isRedirect(answer.status) || location === null) return withStatus(answer);
      await answer.body?.cancel();
      url = redirected(url, { location, redirects });
    }
  };
}

export function isRedirect(status: number): boolean {
  return [301, 302, 307, 308].includes(status);
}

/** Returns the target address of a redirect. Throws if it is on another host, or after too many redirects. */
export function redirected(
  url: string,
  { location, redirects }: { location: string; redirects: number },
): string {
  const next = URL.parse(location, url);
  const { origin } = new URL(url);
  if (redirects >= mostRedirects)
    throw new ModelError("invalid", `${origin} redirects more than 5 times`);
  if (next?.origin === origin) return next.href;
  const target = next?.origin ?? "an address that is not a URL";
  const detail = `${origin} redirects to ${target}, and the API key is meant for ${origin} only`;
  throw new ModelError(
    "invalid",
    `${detail}. If the new address is right, set it as the base URL.`,
  );
}

const mostRedirects = 5;

/** Some servers send an error as JSON with status 200. Changes the status of such a response to an error status. */
async function withStatus(answer: Response): Promise<Response> {
  const type = answer.headers.get("content-type") ?? "";
  if (!answer.ok || !type.startsWith("application/json")) return answer;
  const text = await answer.text();
  const { headers } = answer;
  const status = errorStatusIn(text) ?? answer.status;
  return new Response(text, { status, headers });
}

/** Returns the status of an error in a JSON body. Null: the body contains no error. */
export function errorStatusIn(text: string): number | null {
  const error = errorIn(text);
  if (error === null) return null;
  const { code, status }: Readonly<Record<string, unknown>> = { ...error };
  const named = [code, status].find((value) => Number(value) >= 400 && Number(value) < 600);
  return named === undefined ? 400 : Number(named);
}

function errorIn(text: string): object | null {
  try {
    const error: unknown = JSON.parse(text)?.error;
    return typeof error === "object" ? error : null;
  } catch {
    return null;
  }
}
