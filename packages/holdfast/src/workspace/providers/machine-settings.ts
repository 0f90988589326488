import { addressIn, protocolOf, providersOf } from "../../agent/model/known-providers.ts";
import type { Environment, Protocol } from "../../agent/model/known-providers.ts";
import type { ProviderSources } from "./merge.ts";

/**
 * Adds settings from the config files of the AWS and Google Cloud tools: the AWS region of a profile and the Google
 * project. Reads these files only if a provider needs them.
 */
export async function withMachineSettings(
  environment: Environment,
  sources: Omit<ProviderSources, "environment">,
): Promise<Environment> {
  const isWanted = (protocol: Protocol): boolean => {
    if (addressIn(environment, { name: protocol }) !== null) return false;
    if (sources.named?.has(protocol) === true) return true;
    if (providersOf(environment).some(({ name }) => name === protocol)) return true;
    const connected = [...sources.credentials].flatMap(([name, credential]) =>
      credential.status === "connected" ? [{ name, given: credential.protocol }] : [],
    );
    const configured = [...sources.config].map(([name, config]) => ({
      name,
      given: config.protocol,
    }));
    return [...connected, ...configured].some(
      ({ name, given }) =>
        protocolOf(given === null ? { name } : { name, protocol: given }) === protocol,
    );
  };
  const region = isWanted("bedrock") ? await awsRegion(environment) : null;
  const project = isWanted("vertex") ? await googleProject(environment) : null;
  return {
    ...environment,
    ...(region === null ? {} : { AWS_REGION: region }),
    ...(project === null ? {} : { GOOGLE_CLOUD_PROJECT: project }),
  };
}

/**
 * Returns the region of the AWS profile; null if the profile file cannot be read. The error is reported later, when the
 * credentials in this file are needed.
 */
async function awsRegion(environment: Environment): Promise<string | null> {
  const { readAwsProfile } = await import("../../agent/model/access/aws-profile.ts");
  const profile = await readAwsProfile(environment).catch(() => null);
  return profile?.settings.get("region") ?? null;
}

async function googleProject(environment: Environment): Promise<string | null> {
  const { googleProjectIn } = await import("../../agent/model/access/google-token.ts");
  return googleProjectIn(environment).catch(() => null);
}
