import { badRequest, methodNotAllowed, notFound } from '../../api/index.ts';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../api/types/admissionregistration/v1.d.ts';
import type {
  Answer,
  Call,
  PathHandler,
  ServerObjects,
  WebhookAnswer,
  WebhookClient,
  WebhookTarget,
} from '../../apiserver/index.ts';
import type { KeptReview, WebhookReviews } from './webhook-reviews.ts';

const PATH = '/keelson/webhooks';
const PLURALS = { admit: 'mutatingwebhookconfigurations', validating: 'validatingwebhookconfigurations' } as const;
const DEFAULT_TIMEOUT_SECONDS = 10;

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

export interface ReviewPathSources {
  readonly client: WebhookClient;
  readonly objects: ServerObjects;
}

/**
 * Shows the last reviews: `/keelson/webhooks` lists them, `/keelson/webhooks/ID` returns one with request and answer,
 * and a POST to `/keelson/webhooks/ID/replay` sends it again, to the webhook's current address. That writes nothing.
 */
export class ReviewPaths implements PathHandler {
  readonly #reviews: WebhookReviews;
  readonly #sources: ReviewPathSources;

  constructor(reviews: WebhookReviews, sources: ReviewPathSources) {
    this.#reviews = reviews;
    this.#sources = sources;
  }

  async handle(call: Call): Promise<Answer | undefined> {
    const { path, method, signal } = call.request;
    if (path !== PATH && !path.startsWith(`${PATH}/`)) return undefined;
    const [id, action, ...more] = path.slice(PATH.length + 1).split('/');
    const isReplay = action === 'replay' && more.length === 0;
    if (action !== undefined && !isReplay) return undefined;
    if (method !== (isReplay ? 'POST' : 'GET')) throw methodNotAllowed();
    if (id === undefined || id === '') return json({ items: this.#reviews.list().map(inShort) });
    const kept = this.#reviews.find(id);
    if (kept === undefined) throw notFound({ group: '', resource: 'reviews' }, id);
    return json(isReplay ? await this.#replay(kept, signal) : kept);
  }

  async #replay(kept: KeptReview, signal: AbortSignal): Promise<KeptReview> {
    const { id, request, configuration, webhook: name } = kept;
    if (request === undefined) throw badRequest(`review ${id} was not kept whole and cannot be replayed`);
    const { client, objects } = this.#sources;
    const found = await objects
      .of<Configuration>('admissionregistration.k8s.io', PLURALS[kept.type])
      .get('', configuration);
    const webhook = found?.webhooks?.find((each) => each.name === name);
    if (webhook === undefined) throw badRequest(`webhook "${name}" of configuration "${configuration}" is no more`);
    const timeoutMs = (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
    const target = webhook.clientConfig as WebhookTarget;
    const post = (body: string): Promise<WebhookAnswer> => client.post(target, { body, timeoutMs, signal });
    return this.#reviews.replay(kept, post);
  }
}

function inShort({ request: _1, response: _2, ...review }: KeptReview): object {
  return review;
}

function json(value: unknown): Answer {
  return { type: 'bytes', code: 200, contentType: 'application/json', body: `${JSON.stringify(value)}\n` };
}
