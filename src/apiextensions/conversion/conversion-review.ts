import type { ConversionReview } from '../../api/types/apiextensions/v1.d.ts';
import { type ApiObject, encodeSortedJson, quoteGo, type TypeTable } from '../../api/index.ts';
import { type ReadReview, readReview, type WebhookAnswer } from '../../apiserver/index.ts';

const GROUP = 'apiextensions.k8s.io';
const KIND = 'ConversionReview';
/** Versions of the review that this server speaks. */
const VERSIONS: readonly string[] = ['v1', 'v1beta1'];
/** Max bytes of objects in a review, unless a single one is larger. Upstream has no limit. */
const MAX_REVIEW_BYTES = 8 * 1024 * 1024;

/** One question to a webhook. */
export interface ReviewQuestion {
  readonly version: string;
  readonly uid: string;
  readonly desiredApiVersion: string;
  /** As JSON. */
  readonly objects: readonly string[];
}

/** The first version that both the webhook and this server understand. */
export function reviewVersion(understood: readonly string[]): string | undefined {
  return understood.find((version) => VERSIONS.includes(version));
}

export function reviewText({ version, uid, desiredApiVersion, objects }: ReviewQuestion): string {
  const head = `{"kind":"${KIND}","apiVersion":"${GROUP}/${version}"`;
  const request = `{"uid":"${uid}","desiredAPIVersion":${JSON.stringify(desiredApiVersion)},"objects":[${objects.join(',')}]}`;
  const emptyResponse = '{"uid":"","convertedObjects":null,"result":{"metadata":{}}}';
  return `${head},"request":${request},"response":${emptyResponse}}\n`;
}

export type ReviewAnswer = ReadReview<ConversionReview>;

/** Parses the returned review; throws when it is not one. */
export function readConversionReview(answer: WebhookAnswer, version: string, types: TypeTable): ReviewAnswer {
  return readReview<ConversionReview>(answer, { types, group: GROUP, kind: KIND, version, versions: VERSIONS });
}

/** The objects that the webhook returned; throws when they do not answer the question. */
export function returnedObjects(
  { typeMeta, review }: ReviewAnswer,
  { version, uid }: ReviewQuestion,
): readonly unknown[] {
  const isStrict = version === 'v1'; // webhooks of v1beta1 never had to repeat kind and uid
  if (isStrict && (typeMeta.kind !== KIND || typeMeta.apiVersion !== `${GROUP}/v1`)) {
    throw new Error(
      `expected webhook response of ${GROUP}/v1, Kind=${KIND}, got ${typeMeta.apiVersion || '/'}, Kind=${typeMeta.kind}`,
    );
  }
  const { response } = review;
  if (response === undefined) throw new Error('no response provided');
  if (isStrict && response.uid !== uid) {
    throw new Error(`expected response.uid=${quoteGo(uid)}, got ${quoteGo(response.uid ?? '')}`);
  }
  const { status = '', message = '' } = response.result ?? {};
  if (status === 'Success') return response.convertedObjects ?? [];
  throw new Error(message === '' ? `response.result.status was '${status}', not 'Success'` : message);
}

/** Splits the objects of a call into reviews, each with its JSON as webhooks see it. */
export function* reviewParts(objects: readonly ApiObject[]): Generator<readonly ReviewedObject[]> {
  let part: ReviewedObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    const text = encodeSortedJson(withoutResourceVersion(object));
    if (bytes + text.length > MAX_REVIEW_BYTES && part.length > 0) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push({ object, text });
    bytes += text.length;
  }
  if (part.length > 0) yield part;
}

export interface ReviewedObject {
  readonly object: ApiObject;
  readonly text: string;
}

/** Upstream converts stored objects, which have none. */
function withoutResourceVersion(object: ApiObject): ApiObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
