/** Commands for the webhooks that the service sends. Running services follow within about a second. */
import { pageAt } from "throughline/internal";
import { parseSessionId, silentLogger, ThroughlineError } from "throughline/kernel";
import type { WebhookControl, WebhookStatus } from "../../server/webhooks/webhook-target.ts";
import { type Run, type ServiceContext, withStore } from "../command-context.ts";
import { loadAgents } from "../load-agent.ts";
import { printable } from "../terminal-text.ts";
import { webhooksOf } from "./service-commands.ts";

/** Calls the deliveries that the configuration names. */
async function withWebhooks(run: Run, work: (webhooks: WebhookControl, context: ServiceContext) => Promise<void>): Promise<void> {
  const context = await run.service([]);
  const { settings, clock } = context;
  await withStore(context, async (store) => {
    const webhooks = webhooksOf(settings, { store, agents: await loadAgents(settings.agents), clock, logger: silentLogger });
    if (webhooks === undefined)
      throw new ThroughlineError("webhook.not_found", "The configuration names no webhooks.", {
        hint: "Add `webhooks.targets` to throughline.yaml.",
      });
    await work(webhooks, context);
  });
}

const timeText = (at: number): string => new Date(at).toISOString();

const statusLine = ({ endpoint, host, failures, paused }: WebhookStatus): string => {
  const state = paused === undefined ? "active" : `paused since ${timeText(paused.at)} (${paused.reason})`;
  return printable(`${endpoint}  ${host}  ${state}, ${failures} dead letters since the last success`);
};

/** Prints a document, or its lines. */
function show({ output }: ServiceContext, document: unknown, lines: readonly string[]): void {
  if (output.json) output.document(document);
  else for (const line of lines) output.out.line(line);
}

/** The line that says how to continue after a page. */
const moreOf = ({ next_cursor }: { readonly next_cursor: string | null }): readonly string[] =>
  next_cursor === null ? [] : [`More: --cursor ${next_cursor}`];

export const listWebhooks = (run: Run): Promise<void> =>
  withWebhooks(run, async (webhooks, context) => {
    const items = await webhooks.list();
    show(context, { items }, items.map(statusLine));
  });

export const listPositions = (run: Run, session: string, at: { readonly limit: number; readonly cursor?: string }): Promise<void> =>
  withWebhooks(run, async (webhooks, context) => {
    const page = pageAt(await webhooks.positions(parseSessionId(session)), at);
    const lines = page.items.map(({ target, next_offset, attempts, next_at, error }) => {
      const waits = next_at === undefined ? "" : `, failed ${attempts} times (${error ?? "unknown"}), next attempt ${timeText(next_at)}`;
      return printable(`${target}  next event ${next_offset}${waits}`);
    });
    show(context, page, lines.length === 0 ? ["Nothing was delivered of this session."] : [...lines, ...moreOf(page)]);
  });

export const listDeadLetters = (run: Run, page: { readonly target?: string; readonly limit: number; readonly cursor?: string }): Promise<void> =>
  withWebhooks(run, async (webhooks, context) => {
    const found = await webhooks.deadLetters(page);
    const lines = found.items.map(({ id, host, attempts, error, at }) =>
      printable(`${id}  ${host}  ${timeText(at)}  ${attempts} attempts: ${error}`),
    );
    show(context, found, lines.length === 0 ? ["There are no dead letters."] : [...lines, ...moreOf(found)]);
  });

export const resendDeadLetter = (run: Run, id: string): Promise<void> =>
  withWebhooks(run, async (webhooks, context) => {
    const letter = await webhooks.resend(id);
    show(context, letter, [printable(`Delivered event ${letter.offset} of ${letter.session_id} to ${letter.host}.`)]);
  });

export const pauseWebhook = (run: Run, endpoint: string): Promise<void> =>
  withWebhooks(run, async (webhooks, context) => {
    const status = await webhooks.pause(endpoint);
    show(context, status, [statusLine(status)]);
  });

export const resumeWebhook = (run: Run, endpoint: string): Promise<void> =>
  withWebhooks(run, async (webhooks, context) => {
    const status = await webhooks.resume(endpoint);
    show(context, status, [statusLine(status)]);
  });

export const rotateSecret = (run: Run, name: string): Promise<void> =>
  withWebhooks(run, async (webhooks, context) => {
    const rotated = await webhooks.rotate(name);
    if (!context.output.json) context.output.err.line(printable(`The new secret of ${name}. The former one signs too for a day.`));
    show(context, rotated, [rotated.secret]);
  });
