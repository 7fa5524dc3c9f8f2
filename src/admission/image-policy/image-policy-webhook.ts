import { forbidden, hasReason, StatusError } from '../../api/index.ts';
import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  type AdmissionTarget,
  readReview,
  type WebhookClient,
} from '../../apiserver/index.ts';
import { messageOf, type Random } from '../../base/index.ts';
import { type ImagePolicySettings, readImagePolicySettings } from './image-policy-settings.ts';
import {
  GROUP,
  type ImageReviewSpec,
  type ImageReviewStatus,
  imageReviewStruct,
  KIND,
  reviewText,
  specOfReview,
  VERSION,
} from './image-review.ts';
import { RecentVerdicts } from './recent-verdicts.ts';

/** What asking about images needs of a server. */
export interface ImagePolicyParts {
  readonly webhooks: WebhookClient;
  readonly random: Random;
}

/** The plugin `ImagePolicyWebhook`: asks a configured webhook whether a pod's images may run. */
export function imagePolicyWebhook(parts: ImagePolicyParts, configuration: string | undefined): AdmissionPlugin {
  return new ImagePolicyWebhook(parts, readImagePolicySettings(configuration));
}

const AUDIT = 'imagepolicywebhook.image-policy.k8s.io/';
const TIMEOUT_MS = 30_000;
const ATTEMPTS = 5;
const DELAY_FACTOR = 1.5;
const JITTER = 0.2;

class ImagePolicyWebhook implements AdmissionPlugin {
  readonly name = 'ImagePolicyWebhook';
  readonly #client: WebhookClient;
  readonly #random: Random;
  readonly #settings: ImagePolicySettings;
  readonly #verdicts: RecentVerdicts;

  constructor({ webhooks, random }: ImagePolicyParts, settings: ImagePolicySettings) {
    this.#client = webhooks.as(() => settings.webhook.credential);
    this.#random = random;
    this.#settings = settings;
    this.#verdicts = new RecentVerdicts(webhooks.clock);
  }

  handles({ operation, resource, subresource }: AdmissionTarget): boolean {
    const isWrite = operation === 'CREATE' || operation === 'UPDATE';
    const isPod = resource.group === '' && resource.plural === 'pods';
    return isWrite && isPod && (subresource === '' || subresource === 'ephemeralcontainers');
  }

  async validate(request: AdmissionAttributes): Promise<void> {
    const spec = specOfReview(request);
    const status = this.#verdicts.get(spec) ?? (await this.#ask(spec, request));
    if (status === undefined) return;
    for (const [key, value] of Object.entries(status.auditAnnotations ?? {})) request.annotate(AUDIT + key, value);
    if (status.allowed === true) return;
    const { reason = '' } = status;
    throw refusal(
      request,
      reason === ''
        ? 'one or more images rejected by webhook backend'
        : `image policy webhook backend denied one or more images: ${reason}`,
    );
  }

  /** Undefined when the webhook fails and pods are allowed in that case. */
  async #ask(spec: ImageReviewSpec, request: AdmissionAttributes): Promise<ImageReviewStatus | undefined> {
    const { isFailingOpen, allowTtlMs, denyTtlMs } = this.#settings;
    try {
      const status = await this.#answer(reviewText(spec), request.signal);
      this.#verdicts.add(spec, status, status.allowed === true ? allowTtlMs : denyTtlMs);
      return status;
    } catch (error) {
      if (!isFailingOpen) throw hasReason(error, 'Forbidden') ? error : refusal(request, messageOf(error));
      request.annotate(`${AUDIT}failed-open`, 'true');
      return undefined;
    }
  }

  async #answer(body: string, signal: AbortSignal): Promise<ImageReviewStatus> {
    let delayMs = this.#settings.retryBackoffMs;
    for (let attempt = 1; ; attempt++, delayMs *= DELAY_FACTOR) {
      try {
        return await this.#answerOnce(body, signal);
      } catch (error) {
        if (attempt === ATTEMPTS || !mayPass(error)) throw error;
        await this.#client.clock.sleep(delayMs * (1 + JITTER * this.#random.float()), signal);
        if (signal.aborted) throw error;
      }
    }
  }

  async #answerOnce(body: string, signal: AbortSignal): Promise<ImageReviewStatus> {
    const client = this.#client;
    const answer = await client.post(this.#settings.webhook.target, { body, timeoutMs: TIMEOUT_MS, signal });
    const kinds = { types: client.types, group: GROUP, kind: KIND, version: VERSION, versions: [VERSION] };
    const { review } = readReview<{ readonly status?: ImageReviewStatus }>(answer, {
      ...kinds,
      struct: imageReviewStruct,
    });
    return review.status ?? {};
  }
}

/** Failures that a retry may avoid: the webhook says so, or a connection broke. */
function mayPass(error: unknown): boolean {
  if (error instanceof StatusError) return [429, 500, 504].includes(error.code);
  return error instanceof Error && /connection reset by peer|http2: client connection lost/.test(error.message);
}

function refusal({ name, object }: AdmissionAttributes, why: string): StatusError {
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  return forbidden({ group: '', resource: 'pods' }, name || own || generateName || 'Unknown', why);
}
