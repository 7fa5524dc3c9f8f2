import { type WebhookContext, type WebhookHandler, WebhookRequestError } from './webhook-handler.ts';

/** The images that a pod wants to run. */
export interface ImagesToReview {
  /** In the order of the containers; init containers last. */
  readonly images: readonly string[];
  readonly namespace: string;
  /** The pod's annotations that match `*.image-policy.k8s.io/*`, such as `mine.image-policy.k8s.io/break-glass`. */
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ImageVerdict {
  readonly allowed: boolean;
  /** Why not; shown to the client. */
  readonly reason?: string;
  /** Added to the audit event, with the plugin's prefix. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

export interface ImagePolicyOptions {
  /** Decides about the images of one pod. Throwing refuses them with the error's message. */
  review(images: ImagesToReview, context: WebhookContext): ImageVerdict | Promise<ImageVerdict>;
}

const VERSION = 'imagepolicy.k8s.io/v1alpha1';
const KIND = 'ImageReview';

/** Answers the ImageReviews of the admission plugin ImagePolicyWebhook. */
export function imagePolicy({ review }: ImagePolicyOptions): WebhookHandler {
  return async (asked, context) => {
    const images = readReview(asked);
    return { apiVersion: VERSION, kind: KIND, status: await verdictOf(() => review(images, context)) };
  };
}

async function verdictOf(judge: () => ImageVerdict | Promise<ImageVerdict>): Promise<ImageVerdict> {
  try {
    const { allowed, reason, auditAnnotations } = await judge();
    return { allowed, reason, auditAnnotations };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { allowed: false, reason: message || 'the images could not be judged' };
  }
}

function readReview(review: unknown): ImagesToReview {
  const { apiVersion, kind, spec } = fieldsOf(review);
  if (kind !== KIND || apiVersion !== VERSION) {
    const got = `${JSON.stringify(apiVersion)} ${JSON.stringify(kind)}`;
    throw new WebhookRequestError(400, `expected an ImageReview of ${VERSION}, got ${got}`);
  }
  const { containers = [], namespace = '', annotations = {} } = fieldsOf(spec);
  if (!Array.isArray(containers)) throw new WebhookRequestError(400, 'spec.containers must be a list');
  return {
    images: containers.map((container) => String(fieldsOf(container)['image'] ?? '')),
    namespace: String(namespace),
    annotations: fieldsOf(annotations) as ImagesToReview['annotations'],
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
