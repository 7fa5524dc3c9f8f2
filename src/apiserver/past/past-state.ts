import { badRequest, blankSecret, expired, notFound } from '../../api/index.ts';
import { Slice } from '../../base/index.ts';
import {
  type Entry,
  isStoreError,
  type KeyRange,
  type PastRevisions,
  prefixRange,
  singleKey,
} from '../../store/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { RegisteredResource } from '../endpoint.ts';
import { momentAt, newestMoment } from './moments.ts';
import type { PastParts } from './past-parts.ts';
import { revisionOf } from './read-query.ts';
import type { StoredKinds } from './stored-kinds.ts';

interface StateParts extends PastParts {
  readonly kinds: StoredKinds;
}

/** A list as it was at `?at=`, with whole objects in the stored version; Secrets have no values. */
export async function pastState(
  past: PastRevisions,
  query: Call['request']['query'],
  parts: StateParts,
): Promise<Answer> {
  const asked = query.get('resource') ?? '';
  const kind = parts.kinds.named(asked);
  if (kind === undefined)
    throw asked === ''
      ? badRequest('resource is missing, such as deployments.apps')
      : notFound({ group: '', resource: 'kinds' }, asked);
  const revision = Math.min(revisionOf(query, 'at', past) ?? past.last, past.last);
  const range = rangeOf(kind, query.get('namespace') ?? '', query.get('name') ?? '');
  const entries = entriesAt(past, range, revision);
  const { apiVersion } = kind.resource.storage;
  const at =
    revision >= past.first && revision <= past.last
      ? momentAt(past, revision)
      : { ...newestMoment(past, parts.clock), revision };
  const head = JSON.stringify({ at, apiVersion, kind: `${kind.resource.kind}List` }).slice(0, -1);
  return {
    type: 'stream',
    code: 200,
    headers: { 'content-type': 'application/json' },
    body: listText(head, entries, { kind, parts }),
  };
}

/** Objects as they are taken, so that a large list does not hold the thread. */
async function* listText(
  head: string,
  entries: readonly Entry[],
  { kind, parts }: { readonly kind: RegisteredResource; readonly parts: StateParts },
): AsyncGenerator<Uint8Array> {
  const slice = new Slice(parts.turns, parts.clock);
  let text = `${head},"items":[`;
  let separator = '';
  for (const entry of entries) {
    const { object } = await kind.objects.open(entry);
    text += separator + JSON.stringify(blankSecret(object));
    separator = ',';
    if (!slice.isOver) continue;
    yield Buffer.from(text);
    text = '';
    await slice.next();
  }
  yield Buffer.from(`${text}]}\n`);
}

function entriesAt(past: PastRevisions, range: KeyRange, at: number): readonly Entry[] {
  try {
    return past.range(range, at);
  } catch (error) {
    if (isStoreError(error, 'Compacted')) throw expired(`the state at revision ${at} is no longer kept`);
    throw error;
  }
}

function rangeOf({ resource }: RegisteredResource, namespace: string, name: string): KeyRange {
  const { prefix } = resource.storage;
  if (!resource.namespaced) return name === '' ? prefixRange(prefix) : singleKey(prefix + name);
  if (namespace === '') {
    if (name !== '') throw badRequest('namespace is missing');
    return prefixRange(prefix);
  }
  return name === '' ? prefixRange(`${prefix}${namespace}/`) : singleKey(`${prefix}${namespace}/${name}`);
}
