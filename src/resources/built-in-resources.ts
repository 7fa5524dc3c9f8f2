import { type ApiObject, builtInPriority, type ResourceInfo, type TypeTable } from '../api/index.ts';
import { type KubernetesVersion, minorOf } from '../base/index.ts';
import { builtInCapabilities, type Resource, type StoredKind, type Subresource } from '../apiserver/index.ts';
import * as kindSources from './all-kinds.ts';
import { type BuiltInOptions, type KindEnvironment, kindEnvironment } from './kind-environment.ts';
import { kindStrategy, statusStrategy, type VersionOfKind } from './kind-strategy.ts';
import type { Kind } from './kind.ts';
import { conversionFor, storageForm } from './storage-form.ts';

/**
 * Every resource of Kubernetes 1.36, in every version of the table, including alpha and beta versions. The caller decides
 * which are served.
 */
export function builtInResources(types: TypeTable, options: BuiltInOptions): Resource[] {
  const environment = kindEnvironment(types, options);
  const kinds = new Map(allKinds(environment).map((kind) => [nameOf(kind), kind]));
  const resources = types.resources().map((info) => {
    const kind = kinds.get(nameOf(info));
    if (kind === undefined) throw new Error(`No kind is defined for resource "${nameOf(info)}"`);
    return builtInResource(kind, info, types);
  });
  for (const kind of [...resources, rangeAllocations(types)]) options.objects.register(kind); // also those that are not served
  return resources;
}

/** The node ports of services: stored as kube-apiserver stores them, and not in any API. */
function rangeAllocations(types: TypeTable): StoredKind {
  const type = types.struct('io.k8s.api.core.v1.RangeAllocation');
  const storage = {
    prefix: '/registry/ranges/',
    apiVersion: 'v1',
    kind: 'RangeAllocation',
    type,
    encoding: 'protobuf' as const,
  };
  return { group: '', plural: 'rangeallocations', namespaced: false, capabilities: builtInCapabilities, storage };
}

/** A file of kinds exports kinds, or functions that make them for a cluster. */
type KindSource = Kind | ((environment: KindEnvironment) => Kind | readonly Kind[]);

function allKinds(environment: KindEnvironment): Kind[] {
  const sources: readonly KindSource[] = Object.values(kindSources);
  return sources.flatMap((source) => (typeof source === 'function' ? source(environment) : source));
}

function nameOf({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return `${plural}.${group}`;
}

function builtInResource(kind: Kind, info: ResourceInfo, types: TypeTable): Resource {
  const storage = storageForm(kind, info, types);
  const hasStatus = info.subresources.some(({ name }) => name === 'status');
  const version: VersionOfKind = {
    kind,
    type: info.type,
    storedType: storage.type,
    conversion: conversionFor(kind, info),
    hasStatus,
    kubernetes: types.version,
  };
  // Made on first use: most kinds are never written.
  let made: Resource['strategy'] | undefined;
  const strategy = (): Resource['strategy'] => (made ??= kindStrategy(version));
  let subresources: Resource['subresources'] | undefined;
  const { selectable = {} } = kind;
  const deprecation = deprecationIn(types.version, kind.deprecations?.[info.version] ?? kind.deprecation);
  const priority = builtInPriority(info);
  const { group, plural, singular, namespaced, shortNames, categories, verbs, type } = info;
  return {
    group,
    version: info.version,
    plural,
    singular,
    kind: info.kind,
    namespaced,
    shortNames,
    categories,
    verbs,
    type,
    get listType() {
      return verbs.includes('list') ? types.struct(`${type.name}List`) : undefined;
    },
    capabilities: builtInCapabilities,
    storage,
    get strategy() {
      return strategy();
    },
    ...(priority === undefined ? {} : { priority }),
    ...(kind.featureGate === undefined ? {} : { featureGate: kind.featureGate }),
    resetFields: kind.resetFields ?? (hasStatus ? usualResetFields(kind) : {}),
    get subresources() {
      return (subresources ??= new Map(
        info.subresources.map((sub) => [sub.name, subresource(sub, version, strategy())]),
      ));
    },
    columns: kind.columns ?? [],
    ...(kind.rowConditions === undefined ? {} : { rowConditions: kind.rowConditions }),
    ...(kind.compareRows === undefined ? {} : { compareRows: kind.compareRows }),
    selectableFields: Object.keys(selectable),
    fieldValue: (object: ApiObject, field: string) => selectable[field]?.(object) ?? '',
    ...(kind.isConfidential === undefined ? {} : { isConfidential: kind.isConfidential }),
    ...(kind.computed === undefined ? {} : { computed: kind.computed }),
    ...(deprecation === undefined ? {} : { deprecation }),
  };
}

/** The warning, from the version on that it names: `… is deprecated in v1.34+`. */
function deprecationIn(version: KubernetesVersion, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [, since] = / is deprecated in v1\.(\d+)\+/.exec(text) ?? [];
  return since === undefined || minorOf(version) < Number(since) ? undefined : text;
}

function usualResetFields({ statusMetadata }: Kind): NonNullable<Resource['resetFields']> {
  const metadata = statusMetadata === undefined ? [] : [statusMetadata === 'labels' ? 'metadata.labels' : 'metadata'];
  return { '': ['status'], status: ['spec', ...metadata] };
}

function subresource(
  info: ResourceInfo['subresources'][number],
  version: VersionOfKind,
  own: Resource['strategy'],
): Subresource {
  const make = version.kind.subresources?.[info.name];
  if (make !== undefined) return make(info, own);
  if (info.name !== 'status')
    throw new Error(`Nothing is said about subresource "${info.name}" of ${version.kind.plural}`);
  return { type: 'view', verbs: info.verbs, strategy: statusStrategy(version, own) };
}
