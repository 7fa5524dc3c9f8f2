import { badRequest, blankSecret, notFound } from '../../api/client.ts';
import { type Kind, ResourcePath, type TransportResponse, warningTexts } from '../../client/index.ts';
import type { DryRunRequest, DryRunResult, KubernetesObject, RequestTrace } from '../protocol.ts';
import { answerBytes } from './cluster-requests.ts';
import type { Endpoint } from './endpoint.ts';
import { readJsonBody } from './read-body.ts';
import type { Viewer } from './viewer.ts';

const FIELD_MANAGER = 'keelson-dashboard';
const VERBS = ['create', 'update', 'apply', 'delete'] as const;

/** `/keelson/dry-run`: what would happen to an object. Nothing is stored. */
export const dryRun: Endpoint = async ({ request, viewer: { viewer }, signal }): Promise<DryRunResult> => {
  const asked = readRequest(await readJsonBody(request));
  const { client } = viewer;
  const { object } = asked;
  const kind = await client.apis.find(object.apiVersion ?? '', object.kind ?? '', { signal });
  if (kind === undefined) throw notFound({ group: '', resource: 'kinds' }, `${object.apiVersion} ${object.kind}`);
  const place = placeOf(kind, object, viewer.namespace);
  const before = await existing(viewer, place.object, signal);
  const sent = requestOf(asked, place);
  const answer = await viewer.send({ ...sent, signal });
  const body = await jsonOf(answer);
  const isRefused = answer.status >= 400;
  const trace = await traceOf(viewer, answer, signal);
  const after = isRefused || asked.verb === 'delete' ? undefined : blankSecret(body);
  return {
    ...(before === undefined ? {} : { before: blankSecret(before) }),
    ...(after === undefined ? {} : { after }),
    code: answer.status,
    ...(isRefused ? { status: body } : {}),
    warnings: warningTexts(answer.headers),
    ...(trace === undefined ? {} : { trace }),
  };
};

function readRequest(value: unknown): DryRunRequest {
  const { object, verb = 'apply', fieldManager, force } = (value ?? {}) as Partial<DryRunRequest>;
  if (typeof object !== 'object' || object === null) throw badRequest('object is missing');
  if (!VERBS.includes(verb)) throw badRequest(`verb must be one of ${VERBS.join(', ')}`);
  if (typeof object.metadata?.name !== 'string' && verb !== 'create') throw badRequest('metadata.name is missing');
  return {
    object,
    verb,
    ...(typeof fieldManager === 'string' ? { fieldManager } : {}),
    ...(force === true ? { force } : {}),
  };
}

interface Place {
  readonly collection: string;
  /** Undefined for an object that has no name yet. */
  readonly object: string | undefined;
}

function placeOf(kind: Kind, { metadata }: KubernetesObject, namespace: string): Place {
  const paths = new ResourcePath(kind, kind.scope === 'Cluster' ? undefined : (metadata?.namespace ?? namespace));
  const name = metadata?.name ?? '';
  return { collection: paths.collection, object: name === '' ? undefined : paths.object(name, 'try') };
}

function requestOf({ object, verb = 'apply', fieldManager = FIELD_MANAGER, force }: DryRunRequest, place: Place) {
  const query = new URLSearchParams({ dryRun: 'All' });
  const headers = { accept: 'application/json', 'keelson-trace': '1' };
  if (verb === 'delete') return { method: 'DELETE', path: `${place.object}?${query}`, headers };
  query.set('fieldManager', fieldManager);
  query.set('fieldValidation', 'Strict');
  if (force === true) query.set('force', 'true');
  const typed = (type: string) => ({ ...headers, 'content-type': type });
  if (verb === 'create')
    return {
      method: 'POST',
      path: `${place.collection}?${query}`,
      headers: typed('application/json'),
      body: JSON.stringify(object),
    };
  if (verb === 'update')
    return {
      method: 'PUT',
      path: `${place.object}?${query}`,
      headers: typed('application/json'),
      body: JSON.stringify(object),
    };
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  const applied = JSON.stringify({ ...object, metadata });
  return {
    method: 'PATCH',
    path: `${place.object}?${query}`,
    headers: typed('application/apply-patch+yaml'),
    body: applied,
  };
}

async function existing(
  viewer: Viewer,
  path: string | undefined,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  if (path === undefined) return undefined;
  const answer = await viewer.send({ method: 'GET', path, headers: { accept: 'application/json' }, signal });
  const body = await jsonOf(answer);
  return answer.status === 200 ? body : undefined;
}

/** The trace of the request, where the API server made one and the viewer may read it. */
async function traceOf(
  viewer: Viewer,
  { headers }: TransportResponse,
  signal: AbortSignal,
): Promise<RequestTrace | undefined> {
  const id = headers['keelson-trace'];
  if (typeof id !== 'string') return undefined;
  const path = `/keelson/requests/${encodeURIComponent(id)}`;
  return (await viewer.client.request({ method: 'GET', path, signal }).catch(() => undefined)) as
    | RequestTrace
    | undefined; // forgotten already
}

async function jsonOf(answer: TransportResponse): Promise<KubernetesObject> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answerBytes(answer, { isBlanked: false })) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return JSON.parse(text) as KubernetesObject;
  } catch {
    return { kind: 'Status', apiVersion: 'v1', message: text, code: answer.status };
  }
}
