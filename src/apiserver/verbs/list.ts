import { badRequest, DecodeError, JsonBody, listOptions, type ListOptions, StatusError } from '../../api/index.ts';
import { Slice } from '../../base/index.ts';
import { isStoreError, type KeyRange, type Revision } from '../../store/index.ts';
import type { Answer, ListMetadata } from '../answers/answer.ts';
import { type Endpoint, keyOf, rangeOf } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import type { Resource } from '../resource.ts';
import { convertForReading, type Waiting } from '../storage/conversion.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { parseRevision, tooLargeRevision } from './revision-rules.ts';
import { selection, type Selection } from './selection.ts';

/** GET a collection, as a whole or in pages of one snapshot. */
export async function list(call: Call, endpoint: Endpoint): Promise<Answer> {
  const { resource } = endpoint;
  const options = listOptions(call.request.query, false);
  const { items, metadata } = await selectObjects(endpoint, options, { ...call.info, reader: call.request });
  return { type: 'list', resource, items, metadata };
}

export interface Selected {
  readonly items: readonly StoredObject[];
  readonly metadata: ListMetadata;
}

/** Reads the selected objects, for listing or for deleting. */
export async function selectObjects(
  endpoint: Endpoint,
  options: ListOptions,
  target: { readonly namespace: string; readonly name: string; readonly reader: Waiting },
): Promise<Selected> {
  const { resource, objects } = endpoint;
  const selected = selection(resource, options, target.name);
  const whole = rangeFor(resource, target);
  const start = await startOf(objects, options, whole);
  // A client that accepts any version gets the whole list: Kubernetes then answers from its cache, which ignores limits.
  const limit = options.resourceVersion === '0' ? 0 : options.limit;
  const page = await readPage(endpoint, selected, { ...start, limit, range: whole, reader: target.reader });
  objects.countSelected(page.evaluated, page.items.length);
  return { items: page.items, metadata: listMetadata(page, whole, selected) };
}

interface Start {
  readonly from: string;
  /** Reads at this revision; undefined reads the newest state. */
  readonly at: Revision | undefined;
  /** The oldest acceptable state when `at` is undefined; default the newest. */
  readonly notOlderThan?: Revision;
}

async function startOf(objects: ObjectStore, options: ListOptions, range: KeyRange): Promise<Start> {
  if (options.continueToken !== '') {
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const token = decodeContinue(options.continueToken, range.from);
    // A negative revision means to continue with the newest state, inconsistently, after a token expired.
    return { from: token.from, at: token.revision < 0 ? undefined : token.revision };
  }
  const wanted = parseRevision(options.resourceVersion);
  const newEnough = options.resourceVersion === '' ? {} : { notOlderThan: wanted };
  if (wanted === 0) return { from: range.from, at: undefined, ...newEnough };
  const current = await objects.revision(newEnough);
  if (wanted > current) throw tooLargeRevision(wanted, current);
  const isExact =
    options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0);
  return { from: range.from, at: isExact ? wanted : undefined, ...newEnough };
}

/** How many bytes of objects are evaluated between two looks at the clock, which cost as much as small objects do. */
const UNCLOCKED_BYTES = 16 * 1024;

interface Page {
  readonly items: readonly StoredObject[];
  /** How many objects the selectors have evaluated. */
  readonly evaluated: number;
  readonly revision: Revision;
  /** The key of the next page, if there is one. */
  readonly next: string | undefined;
  readonly remaining: number;
}

/** Reads until the page is full; objects that are not selected do not count, so more than one read may be needed. */
async function readPage(
  { objects, resource, services }: Endpoint,
  selected: Selection,
  request: Start & { readonly limit: number; readonly range: KeyRange; readonly reader: Waiting },
): Promise<Page> {
  const { limit, range, notOlderThan } = request;
  // objects may have to be parsed; converted objects are evaluated before their forms can be evicted
  const isSlow = !selected.isAll && resource.storage.convert === undefined;
  const items: StoredObject[] = [];
  let { from, at } = request;
  let evaluated = 0;
  let unclocked = 0;
  const slice = new Slice(services.turns, services.clock);
  for (;;) {
    const chunk = limit > 0 ? (selected.isAll ? limit : Math.max(limit, 500)) : 0;
    const read = await readAt(objects, { from, to: range.to }, { limit: chunk, at, notOlderThan, range });
    at ??= read.revision;
    await convertForReading(read.objects, resource, request.reader);
    for (const [index, object] of read.objects.entries()) {
      evaluated += 1;
      const isMatch = selected.matches(object);
      unclocked += object.bytes;
      if (isSlow && unclocked > UNCLOCKED_BYTES) {
        unclocked = 0;
        if (slice.isOver) await slice.next();
      }
      if (!isMatch) continue;
      items.push(object);
      const isLast = index === read.objects.length - 1 && !read.more;
      if (limit > 0 && items.length === limit && !isLast) {
        return { items, evaluated, revision: at, next: after(object.key), remaining: read.count - index - 1 };
      }
    }
    const last = read.objects.at(-1);
    if (!read.more || last === undefined) return { items, evaluated, revision: at, next: undefined, remaining: 0 };
    from = after(last.key);
  }
}

async function readAt(
  objects: ObjectStore,
  range: KeyRange,
  options: Omit<Start, 'from'> & { readonly limit: number; readonly range: KeyRange },
): Promise<Awaited<ReturnType<ObjectStore['list']>>> {
  const { limit, at, notOlderThan } = options;
  try {
    return await objects.list(range, { limit, ...(at === undefined ? { notOlderThan } : { at }) });
  } catch (error) {
    if (!isStoreError(error, 'Compacted')) throw error;
    const isFirstPage = range.from === options.range.from;
    throw isFirstPage
      ? new StatusError({
          code: 410,
          reason: 'Expired',
          message: 'The resourceVersion for the provided list is too old.',
        })
      : await expiredContinue(objects, range.from, options.range.from);
  }
}

/** 410 with a token for continuing inconsistently, for clients that prefer that to starting over. */
async function expiredContinue(objects: ObjectStore, from: string, prefix: string): Promise<StatusError> {
  const token = encodeContinue({ revision: -1, from }, prefix);
  const error = new StatusError({ code: 410, reason: 'Expired', message: CONTINUE_EXPIRED });
  Object.assign(error.status, { metadata: { continue: token } });
  return error;
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

function listMetadata(page: Page, range: KeyRange, selected: Selection): ListMetadata {
  const resourceVersion = String(page.revision);
  if (page.next === undefined) return { resourceVersion };
  return {
    resourceVersion,
    continue: encodeContinue({ revision: page.revision, from: page.next }, range.from),
    ...(selected.isAll ? { remainingItemCount: page.remaining } : {}),
  };
}

/** The smallest key after `key`. */
function after(key: string): string {
  return `${key}\u0000`;
}

/** The keys to read: one when the target names an object, else the collection. */
export function rangeFor(
  resource: Resource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): KeyRange {
  const isOne = name !== '' && (namespace !== '' || !resource.namespaced);
  return isOne ? exactly(keyOf(resource, namespace, name)) : rangeOf(resource, namespace);
}

/** The range of one key. */
function exactly(key: string): KeyRange {
  return { from: key, to: after(key) };
}

/** Where a paged list continues: at this key, in the store at this revision. */
interface ContinueToken {
  readonly revision: Revision;
  readonly from: string;
}

/** The token has Kubernetes' format, so that a client may begin at one server and continue at another. */
function encodeContinue(token: ContinueToken, prefix: string): string {
  const start = token.from.slice(prefix.length);
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: token.revision, start })).toString('base64url');
}

/** `prefix` is the collection's key prefix; a forged token cannot reach keys outside of it. */
function decodeContinue(text: string, prefix: string): ContinueToken {
  const { v, rv, start } = parse(text);
  if (v !== 'meta.k8s.io/v1') throw invalidToken(`server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== 'number' || rv === 0)
    throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '')
    throw invalidToken('encoded start key is empty (version meta.k8s.io/v1)');
  const isPlain = !start.split('/').some((part) => part === '.' || part === '..' || part === '');
  if (!isPlain) throw invalidToken(start);
  return { revision: rv, from: prefix + start };
}

function parse(text: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  const misfit = text.search(/[^\w\r\n-]/);
  if (misfit >= 0) throw invalidToken(`illegal base64 data at input byte ${misfit}`);
  try {
    const value: unknown = new JsonBody(Buffer.from(text, 'base64url')).takeValue();
    return typeof value === 'object' && value !== null ? value : {};
  } catch (cause) {
    if (cause instanceof DecodeError) throw invalidToken(cause.message);
    throw cause;
  }
}

function invalidToken(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
