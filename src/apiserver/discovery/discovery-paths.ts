import {
  AGGREGATED_DISCOVERY,
  aggregatedDiscovery,
  aggregatedGroup,
  aggregatedResources,
  coreVersions,
  groupList,
  methodNotAllowed,
  orderedGroups,
  pageNotFound,
  resourceList,
  singleGroup,
} from '../../api/index.ts';
import type { DiscoveredGroupVersion, ServedGroup } from '../../api/index.ts';
import { parseAccept } from '../answers/accept.ts';
import type { Answer } from '../answers/answer.ts';
import { type Format, formats, mediaTypes } from '../answers/representation.ts';
import type { Call } from '../request/call.ts';
import type { RequestHeaders } from '../request/incoming-request.ts';
import type { PathHandler } from '../stages/dispatch.ts';
import { discoveredResource } from './described-resource.ts';
import type { DocumentWriter } from './document-writer.ts';
import type { ServedApi, ServedVersion } from './served-api.ts';

/** An aggregated answer: its JSON, and other forms that were asked for. */
interface AggregatedForms {
  readonly etag: string;
  readonly forms: Map<Format, string | Uint8Array>;
}

/** `/api`, `/apis` and the paths below them that are not resources: the served groups, versions and resources. */
export class DiscoveryPaths implements PathHandler {
  readonly #served: ServedApi;
  readonly #documents: DocumentWriter;
  readonly #serverAddress: () => string;
  /** The JSON of groups in aggregated answers. */
  readonly #groupTexts = new WeakMap<ServedGroup, string>();
  /** Aggregated answers by path, cached until something changes. */
  readonly #aggregated = new Map<string, { readonly of: readonly ServedGroup[]; readonly made: AggregatedForms }>();

  constructor(served: ServedApi, documents: DocumentWriter, serverAddress: () => string) {
    this.#served = served;
    this.#documents = documents;
    this.#serverAddress = serverAddress;
  }

  handle(call: Call): Answer | undefined {
    if (call.request.path.startsWith('//')) return undefined;
    const [root, ...rest] = call.request.path.split('/').filter((part) => part !== '');
    if (root !== 'api' && root !== 'apis') return undefined;
    // Paths below `/apis` that are not versions answer every method, because another part of Kubernetes' server handles them.
    const isRoute = root === 'api' || rest.length > 1;
    if (isRoute && call.request.method !== 'GET' && call.request.method !== 'HEAD') return refuseMethod(rest);
    if (rest.length === 0) {
      const form = aggregatedForm(call.request);
      if (form !== undefined) return this.#aggregatedAnswer(call, root, form);
      const document = root === 'api' ? coreVersions(this.#serverAddress()) : groupList(this.#served.groups());
      return this.#documents.write(call, document, { isRoute });
    }
    if (root === 'api') return rest.length === 1 ? this.#resources(call, '', rest[0] ?? '') : undefined;
    const [group = '', version] = rest;
    if (version !== undefined) return rest.length === 2 ? this.#resources(call, group, version) : undefined;
    const served = this.#served.group(group);
    return served === undefined ? undefined : this.#documents.write(call, singleGroup(served));
  }

  #resources(call: Call, group: string, version: string): Answer | undefined {
    const served = this.#served.version(group, version);
    if (served !== undefined) {
      return this.#documents.write(call, resourceList(served, served.resources.map(discoveredResource)), ROUTE);
    }
    const versions = this.#served.group(group)?.versions ?? [];
    if (versions.some(({ foreign }) => foreign === undefined)) throw pageNotFound();
    return undefined;
  }

  #aggregatedAnswer(call: Call, root: 'api' | 'apis', form: Format): Answer {
    const { forms, etag } = this.#aggregate(root);
    const headers = { etag: `"${etag}"`, vary: 'Accept', 'cache-control': 'public' };
    if (call.request.header('if-none-match') === `"${etag}"`) {
      return { type: 'bytes', code: 304, contentType: aggregatedType(form), body: '', headers };
    }
    const body = forms.get(form) ?? this.#documents.encode(JSON.parse(forms.get('json') as string) as object, form);
    forms.set(form, body);
    return { type: 'bytes', code: 200, contentType: aggregatedType(form), body, headers };
  }

  #aggregate(root: 'api' | 'apis'): AggregatedForms {
    const all = this.#served.groups();
    const known = this.#aggregated.get(root);
    if (known?.of === all) return known.made;
    const groups = all.filter(({ name }) => (name === '') === (root === 'api'));
    const texts = orderedGroups(groups, 'by group').map((group) => this.#groupText(group));
    const { body, etag } = aggregatedDiscovery(texts.filter((text) => text !== ''));
    const made = { etag, forms: new Map<Format, string | Uint8Array>([['json', body]]) };
    this.#aggregated.set(root, { of: all, made });
    return made;
  }

  /** Empty for a group whose server has not yet answered a discovery request. */
  #groupText(group: ServedGroup<ServedVersion>): string {
    let text = this.#groupTexts.get(group);
    if (text === undefined) {
      const [first, ...others] = group.versions.flatMap(discovered);
      text = first === undefined ? '' : aggregatedGroup({ name: group.name, versions: [first, ...others] });
      this.#groupTexts.set(group, text);
    }
    return text;
  }
}

const ROUTE = { isRoute: true };

/** A version's document is read-only; paths below it may belong to other handlers. */
function refuseMethod(below: readonly string[]): undefined {
  if (below.length <= 2) throw methodNotAllowed();
  return undefined;
}

const { group, version, kind } = AGGREGATED_DISCOVERY;

function aggregatedType(form: Format): string {
  return `${mediaTypes[form]};g=${group};v=${version};as=${kind}`;
}

function discovered(served: ServedVersion): readonly DiscoveredGroupVersion[] {
  const { foreign } = served;
  if (foreign !== undefined) return foreign.discovered === undefined ? [] : [{ ...served, ...foreign.discovered }];
  const resources = aggregatedResources(served.resources.map(discoveredResource));
  return [{ ...served, resources, freshness: 'Current' }];
}

/** The format of the first alternative that is available, if that is the aggregated form. */
function aggregatedForm(request: RequestHeaders): Format | undefined {
  for (const { type, subtype, parameters } of parseAccept(request.header('accept') ?? '')) {
    const form = formats.find((each) => mediaTypes[each] === `${type}/${subtype}`);
    const asked = parameters.get('as');
    if (form === undefined || asked === undefined) return undefined;
    if (asked === kind && parameters.get('g') === group && parameters.get('v') === version) return form;
  }
  return undefined;
}

const FIXED = [
  '/api',
  '/apis',
  '/apis/',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/version',
];

/** `/` and `/index.html`: the list of all paths. */
export class RootPath implements PathHandler {
  readonly #served: ServedApi;
  readonly #others: readonly string[];

  /** `others` are paths that are neither constant nor part of discovery. */
  constructor(served: ServedApi, others: readonly string[] = []) {
    this.#served = served;
    this.#others = others;
  }

  handle(call: Call): Answer | undefined {
    if ((call.request.path !== '/' && call.request.path !== '/index.html') || call.request.method !== 'GET')
      return undefined;
    const paths = new Set([...FIXED, ...this.#others]);
    for (const { group, version } of this.#served.groups().flatMap(({ versions }) => versions)) {
      if (group !== '') paths.add(`/apis/${group}`);
      paths.add(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
    }
    const body = JSON.stringify({ paths: [...paths].sort() }, undefined, 2);
    return { type: 'bytes', code: 200, contentType: 'application/json', body };
  }
}
