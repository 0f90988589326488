import { ModelError } from "../model.ts";

/** Sends a token request. Refuses redirects, because the request contains a credential. */
export async function sendTokenRequest(
  send: typeof fetch,
  url: string,
  init: RequestInit,
): Promise<Response> {
  // The mode "error" would make a redirect look like a broken connection, and the run would retry it.
  const answer = await send(url, { ...init, redirect: "manual" });
  if (answer.status < 300 || answer.status >= 400) return answer;
  await answer.body?.cancel();
  const { origin } = new URL(url);
  const target = URL.parse(answer.headers.get("location") ?? "", url)?.origin ?? "another address";
  const detail = `${origin} redirects the token request to ${target}, and the credentials are meant for ${origin} only`;
  const advice = "Check the address of the token server and the network proxy.";
  const cause = new Error(`HTTP ${answer.status}`);
  throw new ModelError("badKey", `${detail}. ${advice}`, { cause });
}
