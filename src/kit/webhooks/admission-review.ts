import { WebhookRequestError } from './webhook-handler.ts';

/** The operations that an admission webhook is asked about. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE';

/** The fields of an AdmissionRequest that handlers use. */
export interface AdmissionQuestion {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  readonly namespace: string;
  readonly object: object | undefined;
  readonly oldObject: object | undefined;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly userInfo: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
}

const REVIEW_VERSIONS: readonly unknown[] = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];
const OPERATIONS: readonly unknown[] = ['CREATE', 'UPDATE', 'DELETE'];

export function readAdmissionReview(review: unknown): {
  readonly apiVersion: string;
  readonly request: AdmissionQuestion;
} {
  const { apiVersion, kind, request } = fieldsOf(review);
  if (kind !== 'AdmissionReview' || !REVIEW_VERSIONS.includes(apiVersion)) {
    const got = `${JSON.stringify(apiVersion)} ${JSON.stringify(kind)}`;
    throw new WebhookRequestError(400, `expected an AdmissionReview of ${REVIEW_VERSIONS.join(' or ')}, got ${got}`);
  }
  const { uid, operation, object, oldObject, dryRun, userInfo, options, namespace } = fieldsOf(request);
  if (typeof uid !== 'string') throw new WebhookRequestError(400, 'request needs a uid');
  if (!OPERATIONS.includes(operation)) {
    throw new WebhookRequestError(400, `request.operation must be one of ${OPERATIONS.join(', ')}`);
  }
  const [current, old] = [objectOf(object), objectOf(oldObject)];
  if (current === undefined && old === undefined) {
    throw new WebhookRequestError(400, 'request needs an object or an oldObject');
  }
  return {
    apiVersion: apiVersion as string,
    request: {
      uid,
      operation: operation as AdmissionOperation,
      namespace: typeof namespace === 'string' ? namespace : '',
      object: current,
      oldObject: old,
      dryRun: dryRun === true,
      options: fieldsOf(options),
      userInfo: fieldsOf(userInfo),
    },
  };
}

function objectOf(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return (objectOf(value) ?? {}) as Readonly<Record<string, unknown>>;
}
