import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import type { ConfigPlace, Configs } from "../workspace-ports.ts";
import { apply, expectWhole } from "./maintenance.ts";
import type { MaintenanceServices } from "./maintenance.ts";
import { offered } from "./route-services.ts";

export interface ConfigServices extends MaintenanceServices {
  readonly configs: Configs | null;
}

export function configHandlers(
  services: ConfigServices,
): Handlers<"getConfig" | "saveConfig" | "trustConfig"> {
  const { security } = services;
  const configs = (): Configs => offered(services.configs, "config files");
  const placeOf = async (
    principal: Principal,
    {
      scope = "project",
      directory,
    }: { scope?: "project" | "user" | undefined; directory?: string | undefined },
  ): Promise<ConfigPlace> => {
    if (scope === "user") {
      expectWhole(principal, "the user's config applies to all directories");
      return { scope };
    }
    if (directory === undefined) {
      const message = "a project's config needs a directory; name one, or set scope to user";
      throw new ApiError("invalid", message, { details: { field: "directory" } });
    }
    return { scope, directory: await security.resolveDirectory(principal, directory) };
  };
  return {
    getConfig: async ({ query, principal }) => ({
      status: 200,
      body: await configs().read(await placeOf(principal, query)),
    }),
    saveConfig: async ({ body, principal }) => {
      const { text, digest } = body;
      const place = await placeOf(principal, body);
      const saved = await configs().save(place, { text, digest });
      switch (saved.status) {
        case "stale":
          throw stale("the file", saved.digest);
        case "bad": {
          const first = saved.notices.find(({ severity }) => severity === "error");
          const message = `the config was not saved: ${first?.message ?? "it cannot be loaded"}`;
          throw new ApiError("badConfig", message, { details: { notices: saved.notices } });
        }
        case "saved": {
          const directories = place.scope === "user" ? null : [place.directory];
          return apply(services, principal, { kind: "refresh", directories, cause: "config" });
        }
      }
    },
    trustConfig: async ({ body, principal }) => {
      const directory = await security.resolveDirectory(principal, body.directory);
      const trusted = await configs().trust(directory, body.digest);
      if (trusted.status === "stale") throw stale("the config", trusted.digest);
      const directories = [directory];
      return apply(services, principal, { kind: "refresh", directories, cause: "config" });
    },
  };
}

function stale(what: string, digest: string | null): ApiError {
  const message = `${what} has changed since you read it; read it again`;
  return new ApiError("staleRevision", message, { details: { digest } });
}
