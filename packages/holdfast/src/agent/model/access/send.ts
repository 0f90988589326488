import { ModelError } from "../model.ts";
import type { Post, Posted } from "../chat/post.ts";
import type { Access, Authorized, Outgoing } from "./access.ts";

/** Wraps fetch to add credentials. If they have expired, renews them once and sends the request again. */
export function authorizedFetch(
  access: Access,
  { send, provider }: { send: typeof fetch; provider: string },
): typeof fetch {
  return async (input, init) => {
    const request: Outgoing = {
      method: init?.method ?? "GET",
      url: input instanceof Request ? input.url : String(input),
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: typeof init?.body === "string" ? init.body : "",
    };
    const attempt = async (): Promise<Attempt<Response>> => {
      const authorized = await access.authorize(request);
      const { url, headers } = authorized.request;
      return { ...authorized, answer: await send(url, { ...init, headers: { ...headers } }) };
    };
    return renewing(attempt, {
      access,
      provider,
      textOf: (answer) => answer.text(),
      withText: (answer, text) => {
        const { status, statusText, headers } = answer;
        return new Response(text, { status, statusText, headers });
      },
    });
  };
}

/** Like `authorizedFetch`, for Holdfast's own client of the chat API. */
export function authorizedPost(
  access: Access,
  { send, provider }: { send: Post; provider: string },
): Post {
  return async (posting) => {
    const attempt = async (): Promise<Attempt<Posted>> => {
      const authorized = await access.authorize({ method: "POST", ...posting });
      const { url, headers } = authorized.request;
      return { ...authorized, answer: await send({ ...posting, url, headers }) };
    };
    return renewing(attempt, {
      access,
      provider,
      textOf: async ({ body }) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of body) chunks.push(chunk);
        return Buffer.concat(chunks).toString("utf8");
      },
      withText: (answer, text) => ({ ...answer, body: once(Buffer.from(text)) }),
    });
  };
}

type Attempt<Answer> = Authorized & { readonly answer: Answer };

async function renewing<Answer extends { readonly status: number }>(
  attempt: () => Promise<Attempt<Answer>>,
  options: {
    access: Access;
    provider: string;
    textOf: (answer: Answer) => Promise<string>;
    withText: (answer: Answer, text: string) => Answer;
  },
): Promise<Answer> {
  const { access, provider, textOf, withText } = options;
  const { answer, renew } = await attempt();
  if (renew === null || !isRejected(answer)) return answer;
  const text = await textOf(answer);
  if (!isExpiry(answer.status, text)) return withText(answer, text);
  const second = (await renew()) ? (await attempt()).answer : null;
  if (second !== null && !isRejected(second)) return second;
  const reason = second === null ? text : await textOf(second);
  if (second !== null && !isExpiry(second.status, reason)) return withText(second, reason);
  const detail = `the credentials have expired and could not be renewed (${reason.slice(0, 200)})`;
  throw new ModelError("badKey", `${provider}: ${detail}. ${access.advice}`);
}

function isRejected({ status }: { readonly status: number }): boolean {
  return status === 401 || status === 403;
}

/**
 * True if new credentials may help. AWS sends 403 for expired credentials; any other 403 means that a permission is
 * missing.
 */
function isExpiry(status: number, text: string): boolean {
  return status === 401 || /expired/i.test(text);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
