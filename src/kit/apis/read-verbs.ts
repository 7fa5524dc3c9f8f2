import { jsonAnswer } from './json-answer.ts';
import {
  type ApiObject,
  badRequest,
  expired,
  keyOf,
  listOptions,
  type ListOptions,
  notFound,
} from '../../api/index.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { ApiAnswer } from './api-call.ts';
import type { ApiList } from './api-storage.ts';
import { type Selection, selectionOf, selectors } from './selection.ts';
import { outgoing } from './served-kind.ts';
import { partialMetadata } from './table.ts';
import { objectAnswer, storageContext, type VerbContext } from './verb-context.ts';

/** GET one object. */
export async function get(context: VerbContext): Promise<ApiAnswer> {
  return objectAnswer(200, await existing(context), context);
}

/** The object that the path names. */
export async function existing(context: VerbContext): Promise<ApiObject> {
  const { served, target } = context;
  const found = await find(context);
  if (found === undefined) throw notFound(served.groupResource, target.name);
  return outgoing(found, served);
}

export async function find(context: VerbContext): Promise<KubernetesObject | undefined> {
  const { served, target } = context;
  const { resource } = served;
  if (resource.get !== undefined) return resource.get(target.name, storageContext(context));
  const { items } = await listed(context);
  return items.find(
    ({ metadata }) => metadata?.name === target.name && (metadata.namespace ?? '') === target.namespace,
  );
}

/** GET a collection: filtered, sorted, and in pages on request. */
export async function list(context: VerbContext): Promise<ApiAnswer> {
  const { served, target, form, tables, clock } = context;
  const options = listOptions(target.query, false);
  const selects = selectionOf(options, served, target.namespace);
  const { items, resourceVersion = '' } = await listed(context);
  const page = pageOf(inOrder(items, selects), resourceVersion, options);
  const metadata = { resourceVersion, ...page.metadata };
  const objects = page.items.map((item) => outgoing(item, served));
  if (form === 'Table') {
    return jsonAnswer(200, tables.table(objects, metadata, { query: target.query, now: clock.now() }));
  }
  return form === 'PartialObjectMetadata'
    ? jsonAnswer(200, {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: objects.map(partialMetadata),
      })
    : jsonAnswer(200, { kind: `${served.kind}List`, apiVersion: served.apiVersion, metadata, items: objects });
}

/** The list of the storage; a plain array has no version. */
export async function listed(context: VerbContext): Promise<ApiList<KubernetesObject>> {
  const { resource } = context.served;
  const { query } = context.target;
  const answer: ApiList<KubernetesObject> | readonly KubernetesObject[] =
    (await resource.list?.({ ...storageContext(context), ...selectors(query) })) ?? [];
  return 'items' in answer ? answer : { items: answer };
}

export function inOrder(items: readonly KubernetesObject[], selects: Selection): KubernetesObject[] {
  return items.filter(selects).sort((left, right) => compareUtf8(keyOf(left), keyOf(right)));
}

interface Page {
  readonly items: readonly KubernetesObject[];
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number };
}

/** The page after the key in the continue token. Pages are consistent with each other only while nothing changes. */
function pageOf(
  items: readonly KubernetesObject[],
  resourceVersion: string,
  { limit, continueToken: token }: ListOptions,
): Page {
  if (!Number.isSafeInteger(limit) || limit < 0) throw badRequest('limit: must be a whole number, 0 or more');
  const after = token === '' ? '' : readToken(token);
  const rest = after === '' ? items : items.filter((item) => compareUtf8(keyOf(item), after) > 0);
  const shown = limit === 0 ? rest : rest.slice(0, limit);
  const last = shown.at(-1);
  if (shown.length === rest.length || last === undefined) return { items: shown, metadata: {} };
  const text = JSON.stringify({ v: 1, rv: resourceVersion, after: keyOf(last) });
  return {
    items: shown,
    metadata: {
      continue: Buffer.from(text).toString('base64url'),
      remainingItemCount: rest.length - shown.length,
    },
  };
}

function readToken(token: string): string {
  try {
    const { v, after } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Record<string, unknown>;
    if (v === 1 && typeof after === 'string' && after !== '') return after;
  } catch {
    // not a valid token
  }
  throw expired('The provided continue parameter is not valid; list again without it.');
}
