import {
  type ConfigurationKind,
  configurationStruct,
  EMBEDDED,
  FLAG,
  listOf,
  mapOf,
  objectOf,
  TEXT,
} from '../../api/index.ts';
import type { PodSpec } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes } from '../../apiserver/index.ts';

/** The question to the webhook. */
export interface ImageReviewSpec {
  readonly containers?: readonly { readonly image?: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace?: string;
}

/** The webhook's answer. */
export interface ImageReviewStatus {
  readonly allowed?: boolean;
  readonly reason?: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

export const GROUP = 'imagepolicy.k8s.io';
export const VERSION = 'v1alpha1';
export const KIND = 'ImageReview';

const IMAGE_REVIEW: ConfigurationKind = {
  group: GROUP,
  kind: KIND,
  versions: [VERSION],
  fields: (version) => ({
    metadata: EMBEDDED,
    spec: objectOf(`${version}.ImageReviewSpec`, {
      containers: listOf(objectOf(`${version}.ImageReviewContainerSpec`, { image: TEXT })),
      annotations: mapOf(TEXT),
      namespace: TEXT,
    }),
    status: objectOf(`${version}.ImageReviewStatus`, { allowed: FLAG, reason: TEXT, auditAnnotations: mapOf(TEXT) }),
  }),
};

/** The type of reviews, which the API does not serve as a resource. */
export const imageReviewStruct = configurationStruct(IMAGE_REVIEW, VERSION);

const FORWARDED = '.image-policy.k8s.io/';

/** The images that a request wants to run: all of a pod, or with `ephemeralcontainers` all of that view. */
export function specOfReview({ object, subresource, namespace }: AdmissionAttributes): ImageReviewSpec {
  const { spec } = object as unknown as { readonly spec: PodSpec };
  const containers =
    subresource === ''
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      : (spec.ephemeralContainers ?? []);
  const annotations = Object.entries(object?.metadata.annotations ?? {})
    .filter(([key]) => key.includes(FORWARDED))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    ...(containers.length === 0
      ? {}
      : { containers: containers.map(({ image = '' }) => (image === '' ? {} : { image })) }),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(namespace === '' ? {} : { namespace }),
  };
}

/** The review as it is sent. */
export function reviewText(spec: ImageReviewSpec): string {
  return JSON.stringify({
    kind: KIND,
    apiVersion: `${GROUP}/${VERSION}`,
    metadata: {},
    spec,
    status: { allowed: false },
  });
}
