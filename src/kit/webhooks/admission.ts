import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import { jsonPatchBetween } from '../../api/client.ts';
import type { Objects } from '../objects.ts';
import type { AppContext } from '../part.ts';
import { ReadKinds } from './read-kinds.ts';
import { deepFreeze, type DeepReadonly, messageOf } from '../../base/index.ts';
import type { Kind, KubernetesObject } from '../../client/index.ts';
import { type AdmissionOperation, type AdmissionQuestion, readAdmissionReview } from './admission-review.ts';
import type { WebhookContext, WebhookHandler } from './webhook-handler.ts';

/** An object as it is on its way into the store, read-only. Its name may still have to be generated. */
export type Admitted<T extends KubernetesObject> = DeepReadonly<
  Omit<T, 'metadata'> & { metadata: NonNullable<T['metadata']> }
>;

/** What is known of a request besides its object. */
export interface AdmissionContext<T extends KubernetesObject> extends WebhookContext {
  readonly operation: AdmissionOperation;
  /** Of the request; empty outside of namespaces. A new object may not say its own. */
  readonly namespace: string;
  /** The object as it is stored; absent when it is being created. */
  readonly old: Admitted<T> | undefined;
  readonly user: AdmissionUser;
  /** CreateOptions, UpdateOptions or DeleteOptions, with what the client stated. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Nothing will be stored, so nothing must be done elsewhere. */
  readonly dryRun: boolean;
  /** The objects of a kind that is among `reads`, from the app's cache. */
  objects<R extends KubernetesObject>(kind: Kind<R>): Objects<R>;
  /** Tells the client something, whatever comes of the request. */
  warn(text: string): void;
}

/** Who sent the request. */
export interface AdmissionUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A rule in CEL about `object`, `oldObject`, `request` and so on; see ValidatingAdmissionPolicy. */
export interface AdmissionRule {
  /** True for what may be stored. */
  readonly expression: string;
  readonly message?: string;
  /** An expression that makes the message. */
  readonly messageExpression?: string;
  /** `Forbidden`, `Invalid`, `Unauthorized` or `RequestEntityTooLarge`; default `Invalid`. */
  readonly reason?: string;
}

export interface AdmissionOptions<T extends KubernetesObject> {
  /** Names the webhook in messages and its configurations: at least three parts, such as `labels.pods.acme.dev`. */
  readonly name: string;
  /** What happens to requests while this webhook does not answer: `Fail` refuses them, `Ignore` lets them pass. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** Default cREATE and UPDATE. */
  readonly operations?: readonly AdmissionOperation[];
  /** Further labels that the namespace must have; those of `exemptNamespaces` are left alone anyway. */
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** Default `kube-system`: a webhook must not keep a cluster from repairing itself. The server's own is always left alone. */
  readonly exemptNamespaces?: readonly string[];
  /** Default 10. */
  readonly timeoutSeconds?: number;
  /** Kinds whose objects the handlers look at, by `objects`: the app keeps caches of them. */
  readonly reads?: readonly Kind[];
  /** Returns the object as it shall be; undefined leaves it as it is. Throwing counts as no answer. */
  mutate?(
    object: Admitted<T>,
    context: AdmissionContext<T>,
  ): Admitted<T> | undefined | Promise<Admitted<T> | undefined>;
  /**
   * Refuses by throwing, or by returning why. Sees the object as it would be stored; one that is being deleted as it is.
   */
  validate?(object: Admitted<T>, context: AdmissionContext<T>): string | void | Promise<string | void>;
  /** Rules that the API server checks by itself, as a ValidatingAdmissionPolicy: they hold while this app is away, too. */
  readonly rules?: readonly AdmissionRule[];
}

/** What an app has to say about requests for one kind: serve it with `admissionServer`. */
export interface KindAdmission {
  readonly name: string;
  readonly kind: Kind;
  readonly options: Omit<AdmissionOptions<never>, 'mutate' | 'validate'>;
  /** For the app: what `objects` gives to the handlers from now on. */
  readonly readFrom: (source: Pick<AppContext, 'objects'>) => void;
  readonly mutate?: WebhookHandler;
  readonly validate?: WebhookHandler;
}

/** Has a say in requests for the objects of a kind: changes them before they are stored, or refuses them. */
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
  return async (review, { signal }) => {
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
    const told = warnings.length === 0 ? {} : { warnings };
    return { apiVersion, kind: 'AdmissionReview', response: { uid: request.uid, ...response, ...told } };
  };
}

function userOf({ username = '', uid, groups = [], extra }: AdmissionQuestion['userInfo']): AdmissionUser {
  return { name: username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function objectOf<T extends KubernetesObject>({ object, oldObject }: AdmissionQuestion): Admitted<T> {
  return frozen<T>(object ?? oldObject) as Admitted<T>;
}

/** What handlers get is read-only, so that what they return can be compared with it. */
function frozen<T extends KubernetesObject>(object: object | undefined): Admitted<T> | undefined {
  if (object !== undefined) deepFreeze(object);
  return object as Admitted<T> | undefined;
}
