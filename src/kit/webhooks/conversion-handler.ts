import { messageOf } from '../../base/index.ts';
import { type WebhookContext, type WebhookHandler, WebhookRequestError } from './webhook-handler.ts';

/** A custom object in a conversion review. */
export interface ConvertibleObject {
  apiVersion: string;
  kind: string;
  metadata: { name?: string; namespace?: string; [field: string]: unknown };
  [field: string]: unknown;
}

/**
 * Converts one object to another version of its kind, such as `v1`. The handler sets `apiVersion` and `kind` of the result.
 * Throwing fails the whole review with the error's message.
 */
export type ConvertObject = (
  object: ConvertibleObject,
  toVersion: string,
  context: WebhookContext,
) => object | Promise<object>;

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly ConvertibleObject[];
}

/** A review has all objects of a list, each of at most 1.5 MiB. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const REVIEW_VERSIONS: readonly unknown[] = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

/** Answers ConversionReviews, v1 and v1beta1, by converting their objects one after the other. */
export function conversionHandler(convert: ConvertObject): WebhookHandler {
  const answer: WebhookHandler = async (review, context) => {
    const { apiVersion, request } = readReview(review);
    const { uid } = request;
    const kind = 'ConversionReview';
    try {
      const convertedObjects = await convertAll(request, convert, context);
      return { apiVersion, kind, response: { uid, convertedObjects, result: { status: 'Success' } } };
    } catch (error) {
      const result = { status: 'Failure', message: messageOf(error) || 'the conversion failed' };
      return { apiVersion, kind, response: { uid, convertedObjects: [], result } };
    }
  };
  return Object.assign(answer, { maxBodyBytes: MAX_LIST_BYTES });
}

async function convertAll(
  { objects, desiredAPIVersion }: ConversionRequest,
  convert: ConvertObject,
  context: WebhookContext,
): Promise<readonly object[]> {
  const version = desiredAPIVersion.slice(desiredAPIVersion.lastIndexOf('/') + 1);
  const converted: object[] = [];
  for (const object of objects) {
    const named = { apiVersion: desiredAPIVersion, kind: object.kind };
    const isThere = object.apiVersion === desiredAPIVersion;
    converted.push(isThere ? object : { ...(await convert(object, version, context)), ...named });
  }
  return converted;
}

function readReview(review: unknown): { readonly apiVersion: string; readonly request: ConversionRequest } {
  const { apiVersion, kind, request } = fieldsOf(review);
  if (kind !== 'ConversionReview' || !REVIEW_VERSIONS.includes(apiVersion)) {
    const got = `${JSON.stringify(apiVersion)} ${JSON.stringify(kind)}`;
    throw new WebhookRequestError(400, `expected a ConversionReview of ${REVIEW_VERSIONS.join(' or ')}, got ${got}`);
  }
  const { uid, desiredAPIVersion, objects } = fieldsOf(request);
  if (typeof uid !== 'string' || typeof desiredAPIVersion !== 'string' || !Array.isArray(objects)) {
    throw new WebhookRequestError(400, 'request needs uid, desiredAPIVersion and objects');
  }
  const broken = objects.findIndex((object) => !isConvertible(object));
  if (broken >= 0) {
    throw new WebhookRequestError(400, `request.objects[${broken}] needs apiVersion, kind and metadata`);
  }
  return { apiVersion: apiVersion as string, request: { uid, desiredAPIVersion, objects } };
}

function isConvertible(value: unknown): value is ConvertibleObject {
  const { apiVersion, kind, metadata } = fieldsOf(value);
  return (
    typeof apiVersion === 'string' && typeof kind === 'string' && typeof metadata === 'object' && metadata !== null
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
