import type { FetchLike } from "@modelcontextprotocol/client";

const maxRedirects = 3;

/**
 * Wraps fetch for OAuth requests. Follows redirects only within the origin of the request, because the requests contain
 * codes and secrets.
 */
export function ownOriginFetch(inner: FetchLike = fetch): FetchLike {
  return async (url, init) => {
    let target = new URL(url);
    for (let redirects = 0; ; redirects += 1) {
      const response = await inner(target, { ...init, redirect: "manual" });
      const location = response.headers.get("location");
      const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== null;
      if (!isRedirect) return response;
      await response.body?.cancel();
      const next = new URL(location, target);
      if (next.origin !== target.origin) {
        throw new Error(
          `${target.origin} redirects an OAuth request to another host (${next.host}); Holdfast does not follow such redirects`,
        );
      }
      const isRead = (init?.method ?? "GET") === "GET";
      if (!isRead || redirects === maxRedirects) {
        throw new Error(
          `${target.origin} redirects an OAuth request; Holdfast does not follow such redirects`,
        );
      }
      target = next;
    }
  };
}
