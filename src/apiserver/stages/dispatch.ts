import { badRequest, methodNotAllowed, pageNotFound, pathSegmentNameProblems, quoteGo } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Negotiator } from '../answers/negotiator.ts';
import type { Endpoint, Services } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import type { ResourceRegistry } from '../resource-registry.ts';
import { computedVerb } from '../verbs/computed.ts';
import { create } from '../verbs/create.ts';
import { deleteCollection, deleteOne } from '../verbs/delete.ts';
import { get } from '../verbs/get.ts';
import { list } from '../verbs/list.ts';
import { patch } from '../verbs/patch.ts';
import { subresource } from '../verbs/subresource.ts';
import { update } from '../verbs/update.ts';
import { watch } from '../verbs/watch.ts';

/** Answers paths that are not resources; undefined for paths that it does not serve. */
export interface PathHandler {
  handle(call: Call): Answer | undefined | Promise<Answer | undefined>;
}

/** Answers calls in this server's place: those for groups and versions that another server serves. */
export interface Delegate {
  /** Called for every request, so it must be fast. */
  answersFor(call: Call): boolean;
  /** Answers a call that `answersFor` accepted. It limits its concurrency itself. */
  handle(call: Call): Promise<Answer>;
}

type Verb = (call: Call, endpoint: Endpoint) => Answer | Promise<Answer>;

const verbs: Readonly<Record<string, Verb>> = {
  get: (call, endpoint) => get(call, endpoint),
  list,
  watch,
  create,
  update: (call, endpoint) => update(call, endpoint),
  patch: (call, endpoint) => patch(call, endpoint),
  delete: deleteOne,
  deletecollection: deleteCollection,
};

export interface DispatchParts {
  readonly registry: ResourceRegistry;
  readonly services: Services;
  /** The first delegate that accepts a call answers it, before this server's own resources. */
  readonly delegates: readonly Delegate[];
  /** In the order in which they are asked. */
  readonly paths: readonly PathHandler[];
  readonly negotiator: Negotiator;
}

/** The innermost stage: calls the resource's verb or the path's handler. May throw synchronously. */
export function dispatch(parts: DispatchParts): (call: Call) => Answer | Promise<Answer> {
  const { registry, services, delegates, paths, negotiator } = parts;
  return (call) => {
    const { info } = call;
    const delegate = delegates.find((each) => each.answersFor(call));
    if (delegate !== undefined) return delegate.handle(call);
    if (info.isResource) {
      const found = registry.find(info.group, info.version, info.resource);
      if (found !== undefined) {
        const { resource, objects, withdrawal, targets } = found;
        return runVerb(call, { resource, objects, withdrawal, targets, services }, negotiator);
      }
      if (registry.hasGroup(info.group)) throw pageNotFound();
    }
    return askPaths(call, paths);
  };
}

async function askPaths(call: Call, paths: readonly PathHandler[]): Promise<Answer> {
  for (const handler of paths) {
    const answer = await handler.handle(call);
    if (answer !== undefined) return answer;
  }
  return PLAIN_NOT_FOUND;
}

const PLAIN_NOT_FOUND: Answer = {
  type: 'bytes',
  code: 404,
  contentType: 'text/plain; charset=utf-8',
  body: '404 page not found\n',
  headers: { 'x-content-type-options': 'nosniff' },
};

function runVerb(call: Call, endpoint: Endpoint, negotiator: Negotiator): Answer | Promise<Answer> {
  const { info } = call;
  const { resource } = endpoint;
  if (call.record.trace !== undefined && resource.isConfidential === true) call.record.trace.isConfidential = true;
  /** Throws before any work is done when the client takes none of our formats. */
  const negotiate = (): void => {
    negotiator.negotiate(call, resource);
    if (resource.deprecation !== undefined) warnOfDeprecation(call, resource.deprecation);
  };
  if (info.subresource !== '') return subresource(call, endpoint, negotiate);
  if (call.request.method === 'HEAD') throw methodNotAllowed();
  if (resource.namespaced && info.namespace === '' && info.verb !== 'list' && info.verb !== 'watch')
    throw info.parts.length > 1 ? pageNotFound() : methodNotAllowed();
  if (!resource.namespaced && info.namespace !== '' && resource.plural !== 'namespaces') throw pageNotFound();
  if (info.parts.length > 1 && !resource.verbs.some((verb) => OBJECT_VERBS.has(verb))) throw pageNotFound();
  const fits = info.parts.length === 1 ? COLLECTION_VERBS : OBJECT_VERBS;
  const verb = resource.verbs.includes(info.verb) && fits.has(info.verb) ? verbs[info.verb] : undefined;
  if (verb === undefined) throw methodNotAllowed();
  negotiate();
  checkName(info.name);
  if (resource.computed !== undefined) return computedVerb(call, endpoint, resource.computed);
  return verb(call, endpoint);
}

/** Warns clients with a header, and annotates the audit event. */
function warnOfDeprecation(call: Call, text: string): void {
  call.record.warnings.add(text);
  if (call.record.audit === undefined) return;
  call.record.annotations.add('k8s.io/deprecated', 'true');
  const [, release] = /unavailable in v(\d+\.\d+)\+/.exec(text) ?? [];
  if (release !== undefined) call.record.annotations.add('k8s.io/removed-release', release);
}

/** Rejects names that cannot be part of a key in the store, because keys are paths. */
function checkName(name: string): void {
  const problems = pathSegmentNameProblems(name);
  if (problems.length === 0) return;
  throw badRequest(`Name parameter invalid: ${quoteGo(name)}: ${problems.join(';')}`);
}

const COLLECTION_VERBS = new Set(['create', 'list', 'watch', 'deletecollection']);
const OBJECT_VERBS = new Set(['get', 'update', 'patch', 'delete', 'watch']);
