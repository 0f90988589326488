import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { clientId, openGithub } from "../../holdfast/test/agent/model/access/github-server.ts";
import { oauthServer } from "../../holdfast/test/agent/mcp/servers/oauth.ts";
import { keys } from "./support/pty.ts";
import { openStory } from "./support/story.ts";

test("/mcp signs in at a server that needs it, and /connect signs in at a provider", async (t) => {
  const guarded = await oauthServer(t);
  const github = await openGithub(t);
  const story = await openStory(t, {
    HOLDFAST_COPILOT_CLIENT_ID: clientId,
    COPILOT_API_URL: github.root,
  });
  const { folder, holdfast } = story;
  await writeFile(
    join(folder, "holdfast.jsonc"),
    JSON.stringify({ mcp: { tickets: { url: guarded.url } } }),
  );
  const { powers } = await holdfast.config.get({ directory: folder });
  await holdfast.config.trust({ directory: folder, digest: powers?.digest ?? null });
  const terminal = story.open();
  await terminal.shows("●", "the connection");

  terminal.type(`/mcp${keys.enter}`);
  await terminal.shows(/tickets .*needs sign-in/);
  terminal.type(keys.enter);
  await terminal.contains("/authorize?");
  const address = terminal.all().replaceAll(/\n */g, "");
  const state = /[?&]state=([\w-]+)/.exec(address)?.[1] ?? "";
  const redirect = decodeURIComponent(/[?&]redirect_uri=([^&]+)/.exec(address)?.[1] ?? "");
  terminal.type(`/mcp ${redirect}?code=c&state=wrong${keys.enter}`);
  await terminal.contains("The sign-in to tickets failed: wrong state");
  terminal.type(`/mcp ${redirect}?code=c&state=${state}${keys.enter}`);
  await terminal.contains("Signed in to tickets");
  terminal.type(`/mcp${keys.enter}`);
  await terminal.shows(/tickets .*1 tool(?!s)/);
  terminal.type(keys.escape);
  await terminal.hides("Esc closes");
  terminal.type(`/connect copilot${keys.enter}`);
  await terminal.contains("WDJB-MJHT");
  await terminal.contains("Connected copilot");
});
