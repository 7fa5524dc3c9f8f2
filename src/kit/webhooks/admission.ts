import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import { jsonPatchBetween } from '../../api/client.ts';
import type { Objects } from '../objects.ts';
import type { AppContext } from '../part.ts';
import { ReadKinds } from './read-kinds.ts';
import { deepFreeze, type DeepReadonly, messageOf } from '../../base/index.ts';
import type { Kind, KubernetesObject } from '../../client/index.ts';
import { type AdmissionOperation, type AdmissionQuestion, readAdmissionReview } from './admission-review.ts';
import type { WebhookContext, WebhookHandler } from './webhook-handler.ts';

/** An object before it is stored, read-only. Its name may not be generated yet. */
export type Admitted<T extends KubernetesObject> = DeepReadonly<
  Omit<T, 'metadata'> & { metadata: NonNullable<T['metadata']> }
>;

/** A request's properties besides its object. */
export interface AdmissionContext<T extends KubernetesObject> extends WebhookContext {
  readonly operation: AdmissionOperation;
  /** The request's namespace; empty for cluster-scoped kinds. A new object may not name its own. */
  readonly namespace: string;
  /** The stored object; undefined for a create. */
  readonly old: Admitted<T> | undefined;
  readonly user: AdmissionUser;
  /** CreateOptions, UpdateOptions or DeleteOptions, as the client sent them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** True if nothing will be stored, so the handler must have no side effects. */
  readonly dryRun: boolean;
  /** The objects of a kind listed in `reads`, from the app's cache. */
  objects<R extends KubernetesObject>(kind: Kind<R>): Objects<R>;
  /** Sends the client a warning, whatever the outcome. */
  warn(text: string): void;
}

/** Who sent the request. */
export interface AdmissionUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A CEL rule about `object`, `oldObject`, `request` and so on; see ValidatingAdmissionPolicy. */
export interface AdmissionRule {
  /** Must be true for the request to be admitted. */
  readonly expression: string;
  readonly message?: string;
  /** A CEL expression that makes the message. */
  readonly messageExpression?: string;
  /** `Forbidden`, `Invalid`, `Unauthorized` or `RequestEntityTooLarge`; default `Invalid`. */
  readonly reason?: string;
}

export interface AdmissionOptions<T extends KubernetesObject> {
  /** Names the webhook in messages and configurations: at least three parts, such as `labels.pods.acme.dev`. */
  readonly name: string;
  /** What happens to requests while this webhook is unavailable: `Fail` refuses them, `Ignore` admits them. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** Default CREATE and UPDATE. */
  readonly operations?: readonly AdmissionOperation[];
  /** Labels that the namespace must have, besides not being one of `exemptNamespaces`. */
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /**
   * Default `kube-system`, so that a webhook cannot keep a cluster from repairing itself. The server's own namespace is
   * always exempt.
   */
  readonly exemptNamespaces?: readonly string[];
  /** Default 10. */
  readonly timeoutSeconds?: number;
  /** Kinds that the handlers read with `objects`; the app keeps caches of them. */
  readonly reads?: readonly Kind[];
  /** Returns the changed object; undefined leaves it unchanged. Throwing counts as no answer. */
  mutate?(
    object: Admitted<T>,
    context: AdmissionContext<T>,
  ): Admitted<T> | undefined | Promise<Admitted<T> | undefined>;
  /**
   * Refuses by throwing, or by returning the reason. Sees the object as it would be stored, or the stored one for a
   * deletion.
   */
  validate?(object: Admitted<T>, context: AdmissionContext<T>): string | void | Promise<string | void>;
  /** Rules that the API server itself evaluates, as a ValidatingAdmissionPolicy: they also hold while this app does not run. */
  readonly rules?: readonly AdmissionRule[];
}

/** The admission of one kind: serve it with `extensionServer`. */
export interface KindAdmission {
  readonly name: string;
  readonly kind: Kind;
  readonly options: Omit<AdmissionOptions<never>, 'mutate' | 'validate'>;
  /** Called by the app with the source of `objects`. */
  readonly readFrom: (source: Pick<AppContext, 'objects'>) => void;
  readonly mutate?: WebhookHandler;
  readonly validate?: WebhookHandler;
}

/** Takes part in admitting requests for a kind: changes objects before they are stored, or refuses them. */
export function admission<T extends KubernetesObject>(kind: Kind<T>, options: AdmissionOptions<T>): KindAdmission {
  const { name, mutate, validate } = options;
  if (name.split('.').length < 3) {
    throw new Error(
      `Cannot make admission "${name}": its name needs three parts at least, such as "labels.pods.acme.dev"`,
    );
  }
  if (mutate === undefined && validate === undefined && (options.rules ?? []).length === 0) {
    throw new Error(`Cannot make admission "${name}": it needs mutate, validate or rules`);
  }
  const ask = { mutate: mutate?.bind(options), validate: validate?.bind(options) };
  const caches = new ReadKinds(options);
  return {
    name,
    kind,
    options,
    readFrom: (source) => caches.readFrom(source),
    ...(ask.mutate === undefined ? {} : { mutate: mutatingHandler(ask.mutate, caches) }),
    ...(ask.validate === undefined ? {} : { validate: validatingHandler(ask.validate, caches) }),
  };
}

function mutatingHandler<T extends KubernetesObject>(
  mutate: NonNullable<AdmissionOptions<T>['mutate']>,
  caches: ReadKinds,
): WebhookHandler {
  return answering<T>(caches, async (object, context) => {
    if (context.operation === 'DELETE') return { allowed: true };
    const changed = await mutate(object, context);
    const operations = changed === undefined ? [] : jsonPatchBetween(object, changed);
    if (operations.length === 0) return { allowed: true };
    const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
    return { allowed: true, patchType: 'JSONPatch', patch };
  });
}

function validatingHandler<T extends KubernetesObject>(
  validate: NonNullable<AdmissionOptions<T>['validate']>,
  caches: ReadKinds,
): WebhookHandler {
  return answering<T>(caches, async (object, context) => {
    const refusal = await attempt(() => validate(object, context));
    if (refusal === undefined) return { allowed: true };
    return { allowed: false, status: { code: 403, reason: 'Forbidden', message: refusal || 'not allowed' } };
  });
}

async function attempt(validate: () => string | void | Promise<string | void>): Promise<string | undefined> {
  try {
    return (await validate()) ?? undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function answering<T extends KubernetesObject>(
  caches: ReadKinds,
  answer: (object: Admitted<T>, context: AdmissionContext<T>) => Promise<object>,
): WebhookHandler {
  const reviewed: WebhookHandler = async (review, { signal }) => {
    const { apiVersion, request } = readAdmissionReview(review);
    const warnings: string[] = [];
    const response = await answer(objectOf<T>(request), {
      operation: request.operation,
      namespace: request.namespace,
      old: frozen<T>(request.oldObject),
      user: userOf(request.userInfo),
      options: request.options,
      dryRun: request.dryRun,
      objects: (kind) => caches.objects(kind),
      warn: (text) => void warnings.push(text),
      signal,
    });
    const warned = warnings.length === 0 ? {} : { warnings };
    return { apiVersion, kind: 'AdmissionReview', response: { uid: request.uid, ...response, ...warned } };
  };
  return Object.assign(reviewed, { maxBodyBytes: MAX_REVIEW_BYTES });
}

/** A review of an update has the object twice, each of at most 3 MiB. */
const MAX_REVIEW_BYTES = 7 * 1024 * 1024;

function userOf({ username = '', uid, groups = [], extra }: AdmissionQuestion['userInfo']): AdmissionUser {
  return { name: username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function objectOf<T extends KubernetesObject>({ object, oldObject }: AdmissionQuestion): Admitted<T> {
  return frozen<T>(object ?? oldObject) as Admitted<T>;
}

/** Freezes the object, so that what handlers return can be compared with it. */
function frozen<T extends KubernetesObject>(object: object | undefined): Admitted<T> | undefined {
  if (object !== undefined) deepFreeze(object);
  return object as Admitted<T> | undefined;
}
