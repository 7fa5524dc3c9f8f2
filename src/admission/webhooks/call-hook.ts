import type { AdmissionResponse } from '../../api/types/admission/v1.d.ts';
import { badRequest, StatusError } from '../../api/index.ts';
import type { AdmissionAttributes, WebhookAnswer, WebhookClient } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import { readAdmissionReview, reviewText, reviewVersion, verifiedResponse } from './admission-review.ts';
import type { Hook, HookType } from './hook.ts';
import { denialOf, HookFailure } from './hook-failure.ts';
import type { WebhookReviews } from './webhook-reviews.ts';

const UNAVAILABLE = 503;

/**
 * Calls one webhook with a request, which `attributes` has in the version that the webhook wants. Resolves with its
 * response when it allows the request; rejects with a `HookDenial` when it does not, and with a `HookFailure` when the
 * call fails.
 */
export async function callHook(
  hook: Hook,
  attributes: AdmissionAttributes,
  { client, type, reviews }: CallHookOptions,
): Promise<AdmissionResponse> {
  const { name, target, timeoutMs } = hook;
  if (attributes.dryRun && !hook.allowsDryRun) {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  const version = reviewVersion(hook.reviewVersions);
  if (version === undefined) {
    const known = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    throw new HookFailure(name, { message: `could not create admission objects: ${known}`, code: 400 });
  }
  const question = { uid: client.newUid(), version, isMutating: type === 'admit' };
  const failing = (words: string) => (error: unknown) => {
    const code = error instanceof StatusError ? error.code : UNAVAILABLE;
    throw new HookFailure(name, { message: `${words}: ${messageOf(error)}`, code }, error);
  };
  if (reviews === undefined && isPlain(target)) {
    const message = 'failed to call webhook: plain HTTP is only spoken with --dev-webhooks';
    throw new HookFailure(name, { message, code: UNAVAILABLE });
  }
  const body = reviewText(attributes, question);
  const post = (): Promise<WebhookAnswer> => client.post(target, { body, timeoutMs, signal: attributes.signal });
  const isConfidential = attributes.resource.isConfidential === true;
  const asked = { type, configuration: hook.configuration, webhook: name, isConfidential, request: body };
  const review = await (reviews === undefined ? post() : reviews.keep(asked, post))
    .then((answer) => readAdmissionReview(answer, version, client.types))
    .catch(failing('failed to call webhook'));
  const response = await attempt(() => verifiedResponse(review, question)).catch(
    failing('received invalid webhook response'),
  );
  for (const [key, value] of Object.entries(response.auditAnnotations ?? {}))
    attributes.annotate(`${name}/${key}`, value);
  for (const warning of response.warnings ?? []) attributes.warn(warning);
  if (response.allowed !== true) throw denialOf(name, response.status);
  return response;
}

export interface CallHookOptions {
  readonly client: WebhookClient;
  readonly type: HookType;
  /** Records the review, if wanted. */
  readonly reviews?: WebhookReviews | undefined;
}

function isPlain({ url = '' }: Hook['target']): boolean {
  return url.toLowerCase().startsWith('http:');
}

async function attempt<T>(read: () => T): Promise<T> {
  return read();
}
