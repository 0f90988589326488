import type { Provider } from "@holdfast/sdk";
import { isLocalHost } from "../../server/listen.ts";
import { fail, ok, unknown, warn } from "./finding.ts";
import type { Finding } from "./finding.ts";

/** Tolerated clock difference in milliseconds: certificates and sign-ins tolerate about this much. */
const tolerated = 60_000;

/** Requests the time from the host of the first provider. The request contains no key. */
export async function checkNetwork(
  providers: readonly Provider[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const remote = providers.map(({ baseUrl }) => baseUrl).find(isRemote);
  if (remote === undefined) {
    const why = "not checked, because no provider on the internet is connected";
    return [unknown("network", why), unknown("clock", why)];
  }
  const { origin, host } = new URL(remote);
  const asked = Date.now();
  try {
    const { headers } = await fetch(origin, { method: "HEAD", redirect: "manual", signal });
    const clock = clockFinding(headers.get("date"), (asked + Date.now()) / 2);
    const noTime = unknown("clock", `not checked, because ${host} did not send its time`);
    return [ok("network", `${host} answers`), clock ?? noTime];
  } catch (error) {
    const problem = unreachable(host, error);
    if (problem.subject === "clock") return [problem];
    return [problem, unknown("clock", `not checked, because ${host} cannot be reached`)];
  }
}

function isRemote(url: string): boolean {
  return URL.canParse(url) && !isLocalHost(new URL(url).hostname.replace(/^\[|\]$/g, ""));
}

function unreachable(host: string, error: unknown): Finding {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  if (/^CERT_(?:NOT_YET_VALID|HAS_EXPIRED)$/.test(code)) {
    const advice = "set the clock of this machine, for example: timedatectl set-ntp true";
    return fail(
      "clock",
      `the certificate of ${host} is not valid at ${new Date().toISOString()}`,
      advice,
    );
  }
  const advice = "check the network connection, the proxy and the firewall";
  return fail("network", `there is no connection to ${host} (${code})`, advice);
}

/** Compares the clock of this machine with the time in a response. Null: the response has no time. */
export function clockFinding(date: string | null, now: number): Finding | null {
  const there = Date.parse(date ?? "");
  if (Number.isNaN(there)) return null;
  const seconds = Math.round((now - there) / 1_000);
  if (Math.abs(now - there) < tolerated) return ok("clock", "correct to the minute");
  const way = seconds > 0 ? "fast" : "slow";
  const advice = "set the clock of this machine, for example: timedatectl set-ntp true";
  return warn("clock", `${Math.abs(seconds)} s ${way}`, advice);
}
