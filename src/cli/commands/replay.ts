import { messageOf } from '../../base/index.ts';
import type { KeptReview as Review } from '../../cluster/index.ts';
import { type Client, connect, hasReason } from '../../client/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { reviewVerdict } from '../trace/review-verdict.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const PATH = '/keelson/webhooks';

const definitions: FlagDefinitions = {
  kubeconfig: { type: 'string', value: 'FILE', help: 'The cluster, as kubectl takes it' },
  context: { type: 'string', value: 'NAME', help: 'A context of the kubeconfig' },
};

/** `keelson replay ID`: sends a review to its webhook again. */
export const replayCommand: Command = {
  usage: `Usage: keelson replay ID [FLAGS]

Sends a review that \`keelson trace webhooks\` lists to its webhook once more, wherever that is configured to be by now, and shows the
answer. Nothing is written. Needs keelson up --dev-webhooks.

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [id, ...more] = flags.positionals;
    if (id === undefined || more.length > 0) throw new UsageError('which review? Give the id of one');
    const [kubeconfig, name] = [flags.text('kubeconfig'), flags.text('context')];
    await using client = await connect({
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(name === undefined ? {} : { context: name }),
      environment: context.environment,
      userAgent: 'keelson-replay',
    });
    const path = `${PATH}/${encodeURIComponent(id)}/replay`;
    const review = (await asked(client.request({ method: 'POST', path, signal: context.signal }))) as Review;
    context.print(head(review));
    context.print(outcome(review));
  },
};

/** `keelson trace webhooks [ID]` */
export async function showReviews(client: Client, ids: readonly string[], context: CommandContext): Promise<void> {
  const { signal } = context;
  if (ids.length > 1) throw new UsageError(`unexpected argument "${ids[1] ?? ''}"`);
  const [id] = ids;
  if (id === undefined) {
    const { items } = (await asked(client.request({ method: 'GET', path: PATH, signal }))) as {
      readonly items: readonly Review[];
    };
    for (const review of items) context.print(head(review));
    return;
  }
  const path = `${PATH}/${encodeURIComponent(id)}`;
  const review = (await asked(client.request({ method: 'GET', path, signal }))) as Review;
  context.print(`${head(review)}\nasked:\n${pretty(review.request)}\nanswered:\n${outcome(review)}`);
}

/** Explains the 404 of a server that keeps no reviews. */
async function asked(answer: Promise<unknown>): Promise<unknown> {
  return answer.catch((error: unknown) => {
    const isUnknownPath = hasReason(error, 'NotFound') && !messageOf(error).startsWith('reviews ');
    throw isUnknownPath ? new Error('the server keeps no reviews: it runs without --dev-webhooks') : error;
  });
}

function head(review: Review): string {
  const { id, time, type, configuration, webhook, durationMs, code, error, response, replayOf } = review;
  const what = type === 'admit' ? 'mutating' : 'validating';
  const came = error ?? reviewVerdict(response) ?? `answered ${code ?? 'nothing'}`;
  const again = replayOf === undefined ? '' : ` (${replayOf} once more)`;
  return `${id}${again}  ${time.slice(11, 23)}  ${what}  ${configuration}/${webhook}  ${durationMs.toFixed(1)} ms  ${came}`;
}

function outcome({ response, error }: Review): string {
  return error ?? pretty(response);
}

/** Indents JSON and decodes patches; returns other text unchanged. */
function pretty(text: string | undefined): string {
  if (text === undefined) return '(not kept)';
  try {
    const review = JSON.parse(text) as { response?: { patch?: string } };
    const patch = review.response?.patch;
    const read = patch === undefined ? {} : { patch: JSON.parse(Buffer.from(patch, 'base64').toString()) as unknown };
    const shown = review.response === undefined ? review : { ...review, response: { ...review.response, ...read } };
    return JSON.stringify(shown, undefined, 2);
  } catch {
    return text; // not JSON: show it unchanged
  }
}
