import type { IncomingMessage, ServerResponse } from 'node:http';

/** An object as it travels in reviews. */
export interface ReviewedObject {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  [field: string]: unknown;
}

export interface ReviewRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: ReviewedObject[];
}

export interface Review {
  readonly apiVersion: string;
  readonly request: ReviewRequest;
}

/** What one scenario's webhook does with a review. */
export type HookAnswer = (review: Review, response: ServerResponse, request: IncomingMessage) => void;

/** Converted as a good webhook does it. */
export function convertGood({ objects, desiredAPIVersion }: ReviewRequest): ReviewedObject[] {
  return objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion, converted: true }));
}

/** A whole answer, but for what the scenario changes in it. */
export function answering(change: (response: Record<string, unknown>, review: Review) => unknown): HookAnswer {
  return (review, response) => {
    const { uid } = review.request;
    const good = { uid, convertedObjects: convertGood(review.request), result: { status: 'Success' } };
    const changed = change(good, review);
    sendJson(response, { apiVersion: review.apiVersion, kind: 'ConversionReview', response: changed ?? good });
  };
}

/** A good answer whose objects are changed one by one. */
export function converting(change: (object: ReviewedObject) => unknown): HookAnswer {
  return answering((good) => {
    good['convertedObjects'] = (good['convertedObjects'] as ReviewedObject[]).map((object) => change(object) ?? object);
  });
}

/** The same with changed metadata. */
export function withMetadata(metadata: Record<string, unknown>): HookAnswer {
  return converting((object) => ({ ...object, metadata: { ...object.metadata, ...metadata } }));
}

export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** A fixed answer; `type` defaults to JSON, and is left out when empty. */
export function sending(
  status: number,
  body: string,
  {
    type = 'application/json',
    headers = {},
  }: { readonly type?: string; readonly headers?: Record<string, string> } = {},
): HookAnswer {
  return (_review, response) => {
    response.writeHead(status, { ...headers, ...(type === '' ? {} : { 'content-type': type }) }).end(body);
  };
}

/** Bytes on the wire instead of an answer of HTTP; then the connection is closed. */
export function writing(bytes: string): HookAnswer {
  return (_review, _response, { socket }) => {
    socket.end(bytes);
  };
}
