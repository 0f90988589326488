import { ModelError } from "../model.ts";
import { createRenewable, keyAccess, withCredentials } from "./access.ts";
import type { Access } from "./access.ts";
import type { AccessTarget } from "./open-access.ts";
import { loadAwsCredentials } from "./aws-credentials.ts";

/** Creates the access to Amazon Bedrock: an API key as bearer token, or signed requests (SigV4). */
export function awsAccess({ provider, fetch, learn }: AccessTarget): Access {
  const { key, baseUrl, environment = {} } = provider;
  if (key !== null) {
    return keyAccess({ authorization: `Bearer ${key}` }, "Create a new Bedrock API key.");
  }
  const region = regionOf(baseUrl) ?? environment["AWS_REGION"] ?? null;
  const credentials = createRenewable({
    load: async () => {
      const loaded = await loadAwsCredentials(environment, { fetch });
      learn([loaded.secretAccessKey, loaded.sessionToken ?? ""].filter((text) => text !== ""));
      return loaded;
    },
    expiresAt: ({ expiresAt }) => expiresAt,
    isSame: (left, right) =>
      left.accessKeyId === right.accessKeyId && left.sessionToken === right.sessionToken,
  });
  return {
    advice: "Sign in to AWS again, for example with: aws sso login",
    authorize: async (request) => {
      if (region === null) {
        const detail = `The AWS region of ${baseUrl} is unknown.`;
        throw new ModelError("invalid", `${provider.name}: ${detail} Set AWS_REGION.`);
      }
      const used = await credentials.get();
      const { AwsV4Signer } = await import("aws4fetch");
      const { method, url, body, headers } = withCredentials(request, {});
      const signer = new AwsV4Signer({
        method,
        url,
        headers: { ...headers },
        ...(body === "" ? {} : { body }),
        accessKeyId: used.accessKeyId,
        secretAccessKey: used.secretAccessKey,
        ...(used.sessionToken === null ? {} : { sessionToken: used.sessionToken }),
        region,
        service: "bedrock",
      });
      const signed = await signer.sign();
      return {
        request: {
          method,
          url: signed.url.href,
          headers: Object.fromEntries(signed.headers),
          body,
        },
        renew: () => credentials.renew(used),
      };
    },
  };
}

/** Reads the region from a host such as bedrock-runtime.eu-west-1.amazonaws.com, or from the host of a VPC endpoint. */
function regionOf(baseUrl: string): string | null {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return (
    /(?:^|\.)bedrock(?:-runtime)?(?:-fips)?\.([a-z]{2,}(?:-[a-z]+)+-\d+)\./.exec(host)?.[1] ?? null
  );
}
