import {
  AGGREGATED_DISCOVERY,
  aggregatedDiscovery,
  aggregatedResources,
  coreVersions,
  discoveryEtag,
  groupList,
  methodNotAllowed,
  pageNotFound,
  resourceList,
  singleGroup,
} from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import { parseAccept } from '../answers/accept.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';
import type { DocumentWriter } from './document-writer.ts';
import type { ServedApi, ServedVersion } from './served-api.ts';

/** `/api`, `/apis` and what is below them but no resource: which groups, versions and resources there are. */
export class DiscoveryPaths implements PathHandler {
  readonly #served: ServedApi;
  readonly #documents: DocumentWriter;
  readonly #serverAddress: () => string;
  /** Aggregated answers, by path, of one generation of resources. */
  readonly #aggregated = new Map<
    string,
    { readonly generation: number; readonly body: string; readonly etag: string }
  >();

  constructor(served: ServedApi, documents: DocumentWriter, serverAddress: () => string) {
    this.#served = served;
    this.#documents = documents;
    this.#serverAddress = serverAddress;
  }

  handle(call: Call): Answer | undefined {
    if (call.path.startsWith('//')) return undefined;
    const [root, ...rest] = call.path.split('/').filter((part) => part !== '');
    if (root !== 'api' && root !== 'apis') return undefined;
    // What is below `/apis` but no version is answered whatever the method, by another part of Kubernetes' server.
    const isRoute = root === 'api' || rest.length > 1;
    if (isRoute && call.method !== 'GET' && call.method !== 'HEAD') return refuseMethod(rest);
    if (rest.length === 0) {
      if (wantsAggregated(call)) return this.#aggregatedAnswer(call, root);
      const document = root === 'api' ? coreVersions(this.#serverAddress()) : groupList(this.#served.versions());
      return this.#documents.write(call, document, { isRoute });
    }
    if (root === 'api') return rest.length === 1 ? this.#resources(call, '', rest[0] ?? '') : undefined;
    const [group = '', version] = rest;
    if (version !== undefined) return rest.length === 2 ? this.#resources(call, group, version) : undefined;
    const document = singleGroup(group, this.#served.versions());
    return document === undefined ? undefined : this.#documents.write(call, document);
  }

  #resources(call: Call, group: string, version: string): Answer | undefined {
    const served = this.#served.version(group, version);
    if (served !== undefined) return this.#documents.write(call, resourceList(served, served.resources), ROUTE);
    if (this.#served.versions().some((other) => other.group === group)) throw pageNotFound();
    return undefined;
  }

  #aggregatedAnswer(call: Call, root: 'api' | 'apis'): Answer {
    const { body, etag } = this.#aggregate(root);
    const headers = { etag: `"${etag}"`, vary: 'Accept', 'cache-control': 'public' };
    if (call.header('if-none-match') === `"${etag}"`) {
      return { type: 'bytes', code: 304, contentType: AGGREGATED_TYPE, body: '', headers };
    }
    return { type: 'bytes', code: 200, contentType: AGGREGATED_TYPE, body, headers };
  }

  #aggregate(root: 'api' | 'apis'): { readonly body: string; readonly etag: string } {
    const { generation } = this.#served;
    const known = this.#aggregated.get(root);
    if (known?.generation === generation) return known;
    const versions = this.#served.versions().filter(({ group }) => (group === '') === (root === 'api'));
    const document = aggregatedDiscovery(versions.map(discovered));
    const made = { generation, body: `${JSON.stringify(document)}\n`, etag: discoveryEtag(document) };
    this.#aggregated.set(root, made);
    return made;
  }
}

const ROUTE = { isRoute: true };

/** A version's document is there to be read; what lies below it may be somebody else's. */
function refuseMethod(below: readonly string[]): undefined {
  if (below.length <= 2) throw methodNotAllowed();
  return undefined;
}

const { group, version, kind } = AGGREGATED_DISCOVERY;
const AGGREGATED_TYPE = `application/json;g=${group};v=${version};as=${kind}`;

function discovered(served: ServedVersion): Parameters<typeof aggregatedDiscovery>[0][number] {
  return { ...served, resources: aggregatedResources(served.resources), freshness: 'Current' };
}

/** Whether the first alternative that can be had is the aggregated form. */
function wantsAggregated(call: Call): boolean {
  for (const clause of parseAccept(call.header('accept') ?? '')) {
    const { parameters } = clause;
    if (clause.type !== 'application' || clause.subtype !== 'json') return false;
    const asked = parameters.get('as');
    if (asked === undefined) return false;
    if (asked === kind && parameters.get('g') === group && parameters.get('v') === version) return true;
  }
  return false;
}
