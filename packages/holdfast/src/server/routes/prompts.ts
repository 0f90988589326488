import { setImmediate as nextRound } from "node:timers/promises";
import type { Attachment } from "../../contract/attachment.ts";
import type { Prompt } from "../../contract/prompt.ts";
import type { Receipt } from "../../contract/receipt.ts";
import type { promptRoutes } from "../../contract/routes/prompts.ts";
import type { CancelScope } from "../../kernel/command.ts";
import type { LedgerRow } from "../../kernel/ledger.ts";
import { openPage } from "../../runtime/views/large-page.ts";
import type { PromptInput } from "../../runner/prompt.ts";
import { ApiError } from "../errors.ts";
import { expectRole } from "../expect-role.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import { readUpload } from "../uploads.ts";
import { wirePrompt } from "../wire/prompt.ts";
import {
  budgetOf,
  expectSession,
  given,
  limitOf,
  numberCursor,
  waiting,
} from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";

export function promptHandlers(services: RouteServices): Handlers<keyof typeof promptRoutes> {
  const { runtime } = services;
  const show = (row: LedgerRow): Promise<Prompt> => wirePrompt(runtime.store, row);
  const cancel = async (input: {
    sessionId: string;
    cancelId: string | undefined;
    scope: CancelScope;
    principal: Principal;
  }): Promise<{ status: 200; body: Receipt }> => {
    const { sessionId, cancelId, scope, principal } = input;
    const { actor } = principal;
    const receipt = await runtime.cancel({ sessionId, ...given({ cancelId }), scope, actor });
    return { status: 200, body: receipt };
  };
  return {
    sendPrompt: async (call) => {
      const { params, body, principal } = call;
      const { sessionId } = params;
      const { promptId, text = "", delivery, reply, expectedRunId, expiresAt, maxRunTime } = body;
      const { agent, model, agentMode, effort, thinking, command } = body;
      // In some modes a hosted agent asks for no permission, so choosing a mode needs the same role as answering an
      // ask.
      if (agentMode !== undefined) expectRole(principal, "prompt", "agentMode");
      const hashes = body.attachments ?? [];
      const attachments = await attachmentsOf(services, { sessionId, promptId, hashes, principal });
      const accepted = await runtime.prompt({
        ...given({ promptId, delivery, reply, expectedRunId, expiresAt, maxRunTime }),
        ...given({ attachments, agent, model, agentMode, effort, thinking, command }),
        ...given({ onBudget: body.onBudget }),
        sessionId,
        text,
        budget: budgetOf(body.budget),
        actor: principal.actor,
        directories: principal.directories,
      });
      const target = { sessionId, promptId: accepted.promptId };
      services.observer?.sent?.(call.request, target);
      const isOver = accepted.status === "settled" || (call.query.wait ?? 0) === 0;
      const row = isOver
        ? accepted
        : await waiting(services, call, (signal) => runtime.wait({ ...target, signal }));
      const entry = await show(row ?? accepted);
      return entry.status === "settled"
        ? { status: 200, body: entry }
        : { status: 202, body: entry };
    },
    listPrompts: async ({ params, query }) => {
      await expectSession(runtime, params.sessionId);
      const limit = limitOf(query);
      const after = numberCursor(query.after);
      const rows = await runtime.store.prompts(params.sessionId, { after, limit });
      const page = openPage<Prompt>(limit);
      const rest = [...rows];
      while (rest.length > 0 && !page.isFull()) {
        const shown = await Promise.all(rest.splice(0, page.batch()).map(show));
        for (const prompt of shown) if (!page.isFull()) page.add(prompt);
        await nextRound();
      }
      const { items } = page;
      const last = page.isFull() ? items.at(-1) : undefined;
      const cursor = last === undefined ? null : `${last.acceptSeq}`;
      return { status: 200, body: { items, cursor } };
    },
    getPrompt: async (call) => {
      const { sessionId, promptId } = call.params;
      const target = { sessionId, promptId };
      const row = await waiting(services, call, (signal) => runtime.wait({ ...target, signal }));
      if (row !== null) return { status: 200, body: await show(row) };
      await expectSession(runtime, sessionId);
      throw new ApiError("unknownPrompt", `session ${sessionId} has no prompt ${promptId}`);
    },
    editPrompt: async ({ params, body, principal }) => {
      const { actor, directories } = principal;
      const row = await runtime.editPrompt({ ...params, ...body, actor, directories });
      return { status: 200, body: await show(row) };
    },
    movePrompt: async ({ params, body, principal }) => {
      const row = await runtime.movePrompt({ ...params, ...body, actor: principal.actor });
      return { status: 200, body: await show(row) };
    },
    promotePrompt: async ({ params, principal }) => {
      const row = await runtime.promotePrompt({ ...params, actor: principal.actor });
      return { status: 200, body: await show(row) };
    },
    withdrawPrompt: ({ params, query, principal }) => {
      const { sessionId, promptId } = params;
      const scope = { kind: "prompt", promptId } as const;
      return cancel({ sessionId, cancelId: query.cancelId, scope, principal });
    },
    cancelSession: ({ params, body, principal }) => {
      const { cancelId, upTo = null, tree = false } = body;
      const scope = { kind: "session", upTo, tree } as const;
      return cancel({ ...params, cancelId, scope, principal });
    },
    clearQueue: ({ params, body, principal }) =>
      cancel({ ...params, cancelId: body.cancelId, scope: { kind: "queue" }, principal }),
  };
}

/**
 * Loads the uploads that a prompt names, so that the commit that accepts the prompt stores their content. After that
 * the uploads are not needed any more.
 */
async function attachmentsOf(
  { runtime }: RouteServices,
  prompt: {
    sessionId: string;
    promptId: string | undefined;
    hashes: readonly string[];
    principal: Principal;
  },
): Promise<PromptInput["attachments"]> {
  const { sessionId, promptId, hashes, principal } = prompt;
  if (hashes.length === 0) return undefined;
  const { store } = runtime;
  // A repeated prompt needs no uploads. Its files may have been deleted with its session (P3).
  const row = promptId === undefined ? null : await store.prompt(sessionId, promptId);
  if (row !== null) {
    const { attachments } = await wirePrompt(store, row);
    return hashes.map((hash) => attachments.find((known) => known.hash === hash) ?? nameless(hash));
  }
  return Promise.all(
    hashes.map(async (hash) => {
      const upload = await readUpload(store, principal, hash);
      if (upload !== null) return upload;
      const message = `there is no attachment ${hash}; upload it, then send the prompt again`;
      throw new ApiError("unknownAttachment", message, { details: { hash } });
    }),
  );
}

function nameless(hash: string): Attachment {
  return { hash, name: null, mediaType: "application/octet-stream", bytes: 0 };
}
