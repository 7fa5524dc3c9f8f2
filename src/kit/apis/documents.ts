import { jsonAnswer } from './json-answer.ts';
import {
  aggregatedDiscovery,
  aggregatedGroup,
  aggregatedResources,
  builtInTypes,
  customSchemas,
  type DiscoveredResource,
  DocumentSources,
  groupList,
  loadDescriptions,
  type OpenApiDocument,
  OpenApiV2,
  OpenApiV3,
  openApiV3Index,
  PROTOBUF_V2_TYPE,
  resourceList,
  type ServedGroup,
  type ServedGroupVersion,
  type ServedResource,
  singleGroup,
  storageVersionHash,
} from '../../api/index.ts';
import type { ApiAnswer, ApiCall } from './api-call.ts';
import type { Api } from './api-resource.ts';
import type { ServedKind } from './served-kind.ts';

/** An API with its resources. */
export interface ServedVersion extends ServedGroupVersion {
  readonly api: Api;
  readonly kinds: readonly ServedKind[];
}

const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The server's own documents: discovery in both forms, OpenAPI v2 and v3. */
export class ApiDocuments {
  readonly #groups: readonly ServedGroup<ServedVersion>[];
  readonly #versions: readonly ServedVersion[];
  #openApi: Promise<OpenApiDocuments> | undefined;

  constructor(versions: readonly ServedVersion[]) {
    this.#versions = versions;
    const names = [...new Set(versions.map(({ group }) => group))];
    this.#groups = names.map((name) => ({
      name,
      versions: versions.filter(({ group }) => group === name) as [ServedVersion, ...ServedVersion[]],
    }));
  }

  /** Undefined for paths without a document. */
  async answer(call: ApiCall, path: string): Promise<ApiAnswer | undefined> {
    if (path === '/openapi/v2') return (await this.#documents()).v2(call);
    if (path === '/openapi/v3') return jsonText((await this.#documents()).index.body);
    if (path.startsWith('/openapi/v3/')) return (await this.#documents()).v3(call, path.slice('/openapi/v3/'.length));
    return this.#discovery(call, path);
  }

  #discovery(call: ApiCall, path: string): ApiAnswer | undefined {
    if (path === '/apis')
      return wantsAggregated(call) ? this.#aggregated(call) : jsonAnswer(200, groupList(this.#groups));
    const [, root, name, version, ...more] = path.split('/');
    if (root !== 'apis' || more.length > 0) return undefined;
    const group = this.#groups.find((each) => each.name === name);
    if (group === undefined) return undefined;
    if (version === undefined) return jsonAnswer(200, singleGroup(group));
    const served = group.versions.find((each) => each.version === version);
    return served === undefined ? undefined : jsonAnswer(200, resourceList(served, served.kinds.map(discovered)));
  }

  #aggregated(call: ApiCall): ApiAnswer {
    const groups = this.#groups.map(({ name, versions: [first, ...rest] }) =>
      aggregatedGroup({ name, versions: [aggregatedVersion(first), ...rest.map(aggregatedVersion)] }),
    );
    const { body, etag } = aggregatedDiscovery(groups);
    return document(call, { body, etag }, AGGREGATED_TYPE);
  }

  #documents(): Promise<OpenApiDocuments> {
    return (this.#openApi ??= loadDescriptions().then(
      (descriptions) => new OpenApiDocuments(this.#versions, new DocumentSources(builtInTypes(), descriptions)),
    ));
  }
}

class OpenApiDocuments {
  readonly index: OpenApiDocument;
  readonly #v2: ReturnType<OpenApiV2['document']>;
  readonly #v3: ReadonlyMap<string, OpenApiDocument>;

  constructor(versions: readonly ServedVersion[], sources: DocumentSources) {
    const resources = versions.map(({ kinds }) => kinds.map((kind) => documented(kind, sources)));
    const v3 = new OpenApiV3(sources);
    this.#v3 = new Map(
      versions.map(
        (served, index) => [`apis/${served.api.apiVersion}`, v3.groupVersion(served, resources[index] ?? [])] as const,
      ),
    );
    this.#v2 = new OpenApiV2(sources).document(resources.flat(), []);
    this.index = openApiV3Index(new Map([...this.#v3].map(([path, { etag }]) => [path, etag])), new Map());
  }

  v2(call: ApiCall): ApiAnswer {
    if (!(call.header('accept') ?? '').includes(PROTOBUF_V2_TYPE)) return document(call, this.#v2, 'application/json');
    const answer = { body: this.#v2.protobuf(), etag: this.#v2.etag };
    return document(call, answer, PROTOBUF_V2_TYPE.replace('@', '.'));
  }

  v3(call: ApiCall, path: string): ApiAnswer | undefined {
    const found = this.#v3.get(path);
    return found === undefined ? undefined : document(call, found, 'application/json');
  }
}

function document(
  call: ApiCall,
  { body, etag }: { readonly body: string | Uint8Array; readonly etag: string },
  contentType: string,
): ApiAnswer {
  const headers = { 'content-type': contentType, etag: `"${etag}"`, vary: 'Accept' };
  return call.header('if-none-match') === headers.etag
    ? { status: 304, headers, body: '' }
    : { status: 200, headers, body };
}

function jsonText(body: string | Uint8Array): ApiAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function wantsAggregated(call: ApiCall): boolean {
  const accept = call.header('accept') ?? '';
  return accept.split(',').some((clause) => {
    const parts = new Set(clause.split(';').map((part) => part.trim()));
    return AGGREGATED_TYPE.split(';').every((part) => parts.has(part));
  });
}

function aggregatedVersion(served: ServedVersion) {
  return { ...served, resources: aggregatedResources(served.kinds.map(discovered)), freshness: 'Current' as const };
}

function discovered(served: ServedKind): DiscoveredResource {
  const { group, kind, plural, apiVersion, isNamespaced, hasStatus, verbs, definition } = served;
  const { names } = definition.spec;
  const version = apiVersion.slice(group.length + 1);
  const statusVerbs = ['get', 'patch', 'update'].filter((verb) => verbs.includes(verb));
  return {
    group,
    version,
    plural,
    singular: names.singular ?? kind.toLowerCase(),
    kind,
    namespaced: isNamespaced,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    subresources: hasStatus ? [{ name: 'status', kind: { group, version, kind }, verbs: statusVerbs }] : [],
    isCustom: true,
    ...(verbs.includes('update') ? { storageVersionHash: storageVersionHash(apiVersion, kind) } : {}),
  };
}

function documented(served: ServedKind, sources: DocumentSources): ServedResource {
  const { group, kind, type, selectable } = served;
  const resource = discovered(served);
  const selectableFields = [...selectable.keys()];
  const version = resource.version;
  const { object, list } = customSchemas(
    { kind: { group, version, kind }, listKind: `${kind}List`, type, selectableFields },
    sources,
  );
  return {
    ...resource,
    type: object,
    listType: list,
    deleteReturnsObject: false,
    subresources: resource.subresources.map(({ name, verbs }) => ({
      name,
      verbs,
      type: object,
      style: { kind: 'object' },
    })),
  };
}
