import {
  AGGREGATED_DISCOVERY,
  aggregatedDiscovery,
  aggregatedResources,
  coreVersions,
  discoveryEtag,
  groupList,
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
    const [root, ...rest] = call.path.split('/').filter((part) => part !== '');
    if (root !== 'api' && root !== 'apis') return undefined;
    if (call.method !== 'GET' && call.method !== 'HEAD') return undefined;
    if (rest.length === 0) {
      if (wantsAggregated(call)) return this.#aggregatedAnswer(call, root);
      const document = root === 'api' ? coreVersions(this.#serverAddress()) : groupList(this.#served.versions());
      return this.#documents.write(call, document);
    }
    if (root === 'api') return rest.length === 1 ? this.#resources(call, '', rest[0] ?? '') : undefined;
    const [group = '', version] = rest;
    if (version !== undefined) return rest.length === 2 ? this.#resources(call, group, version) : undefined;
    const document = singleGroup(group, this.#served.versions());
    return document === undefined ? undefined : this.#documents.write(call, document);
  }

  #resources(call: Call, group: string, version: string): Answer | undefined {
    const served = this.#served.version(group, version);
    if (served !== undefined) return this.#documents.write(call, resourceList(served, served.resources));
    if (this.#served.versions().some((other) => other.group === group)) throw pageNotFound();
    return undefined;
  }

  #aggregatedAnswer(call: Call, root: 'api' | 'apis'): Answer {
    const { body, etag } = this.#aggregate(root);
    const headers = { etag: `"${etag}"`, vary: 'Accept' };
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
