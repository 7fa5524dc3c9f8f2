import {
  type ApiObject,
  compareVersions,
  goText,
  parseJsonPath,
  type Struct,
  structuralKind,
  type StructuralSchema,
  type TypeTable,
} from '../api/index.ts';
import type { CustomResourceDefinitionVersion, SelectableField } from '../api/types/apiextensions/v1.d.ts';
import {
  type Convert,
  customCapabilities,
  type Resource,
  type StorageForm,
  type Subresource,
} from '../apiserver/index.ts';
import type { Definition } from './conditions.ts';
import { customColumns } from './custom-columns.ts';
import { customScale, pathOf } from './custom-scale.ts';
import { customStatusStrategy, customStrategy } from './custom-strategy.ts';

export interface CustomResourceOptions {
  readonly types: TypeTable;
  /** Converts between the versions; absent when they differ in apiVersion only. */
  readonly convert?: Convert | undefined;
  /** Whether the definition is being deleted. */
  readonly isTerminating: () => boolean;
  /** Whether the definition is established: until then its kind is served, but discovery does not list it. */
  readonly isEstablished: () => boolean;
}

/** A definition's kind in the form the server uses: how it is stored, and each served version. */
export interface CustomResources {
  /** The stored version, whether it is served or not. */
  readonly stored: Resource;
  readonly served: readonly Resource[];
}

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SCALE = 'io.k8s.api.autoscaling.v1.Scale';

/** Assumes: the definition's names are accepted. Cheap: types are compiled when their objects are first used. */
export function customResources(definition: Definition, options: CustomResourceOptions): CustomResources {
  const maker = new ResourceMaker(definition, options);
  const versions = definition.spec.versions ?? [];
  const stored = versions.find(({ storage }) => storage);
  if (stored === undefined) throw new Error(`No version of "${definition.metadata.name}" is stored`);
  const resources = new Map(versions.map((version) => [version, maker.resource(version, stored)]));
  return {
    stored: resources.get(stored) as Resource,
    served: versions.filter(({ served }) => served).map((version) => resources.get(version) as Resource),
  };
}

class ResourceMaker {
  readonly #definition: Definition;
  readonly #options: CustomResourceOptions;
  readonly #types = new Map<string, Struct>();

  constructor(definition: Definition, options: CustomResourceOptions) {
    this.#definition = definition;
    this.#options = options;
  }

  resource(version: CustomResourceDefinitionVersion, stored: CustomResourceDefinitionVersion): Resource {
    const { group, scope } = this.#definition.spec;
    const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = this.#names;
    const { status } = version.subresources ?? {};
    const custom = {
      group,
      plural,
      subresources: version.subresources ?? {},
      isTerminating: this.#options.isTerminating,
    };
    return {
      group,
      version: version.name,
      plural,
      singular,
      kind,
      listKind,
      namespaced: scope === 'Namespaced',
      shortNames,
      categories,
      verbs: VERBS,
      type: this.#type(version),
      fingerprint: this.#fingerprint,
      capabilities: customCapabilities,
      isListed: this.#options.isEstablished,
      storage: this.#storage(stored),
      strategy: customStrategy(custom),
      resetFields: status === undefined ? {} : { '': ['status'], status: ['metadata', 'spec'] },
      subresources: new Map<string, Subresource>([
        ...(status === undefined
          ? []
          : [
              [
                'status',
                { type: 'view', verbs: ['get', 'patch', 'update'], strategy: customStatusStrategy(custom) },
              ] as const,
            ]),
        ...this.#scale(version),
      ]),
      columns: customColumns(version.additionalPrinterColumns),
      ...selectable(version.selectableFields),
      ...(version.deprecated === true ? { deprecation: this.#deprecation(version) } : {}),
    };
  }

  /** The generation covers the spec; names are accepted later. */
  get #fingerprint(): string {
    const { uid, generation } = this.#definition.metadata;
    return `${uid} ${generation} ${JSON.stringify(this.#names)}`;
  }

  get #names() {
    return this.#definition.status?.acceptedNames ?? this.#definition.spec.names;
  }

  #storage(stored: CustomResourceDefinitionVersion): StorageForm {
    const { group, versions = [] } = this.#definition.spec;
    const { plural, kind } = this.#names;
    const { convert } = this.#options;
    return {
      prefix: `/registry/${group}/${plural}/`,
      apiVersion: `${group}/${stored.name}`,
      kind,
      type: this.#type(stored),
      typeOf: (apiVersion) => {
        const version = versions.find(({ name }) => `${group}/${name}` === apiVersion);
        return version === undefined ? undefined : this.#type(version);
      },
      encoding: 'json',
      ...(convert === undefined ? {} : { convert }),
    };
  }

  #type(version: CustomResourceDefinitionVersion): Struct {
    let type = this.#types.get(version.name);
    if (type === undefined) {
      const { group, preserveUnknownFields } = this.#definition.spec;
      const schema = version.schema?.openAPIV3Schema ?? {};
      const kind = { group, version: version.name, kind: this.#names.kind };
      type = structuralKind(preserveUnknownFields === true ? keepingUnknown(schema) : schema, kind, this.#options);
      this.#types.set(version.name, type);
    }
    return type;
  }

  #scale(version: CustomResourceDefinitionVersion): readonly (readonly [string, Subresource])[] {
    const scale = version.subresources?.scale;
    if (scale === undefined) return [];
    const { group, versions = [] } = this.#definition.spec;
    const paths = versions.flatMap(({ name, subresources }) =>
      subresources?.scale === undefined
        ? []
        : [[`${group}/${name}`, pathOf(subresources.scale.specReplicasPath)] as const],
    );
    const struct = this.#options.types.struct(SCALE);
    return [['scale', customScale({ scale, struct, replicasPaths: Object.fromEntries(paths) })]];
  }

  #deprecation({ name, deprecationWarning }: CustomResourceDefinitionVersion): string {
    if (deprecationWarning !== undefined) return deprecationWarning;
    const { group, versions = [] } = this.#definition.spec;
    const { kind } = this.#names;
    const newer = versions
      .filter((version) => version.served && version.deprecated !== true && compareVersions(name, version.name) > 0)
      .map((version) => version.name)
      .sort(compareVersions);
    const [newest] = newer;
    return `${group}/${name} ${kind} is deprecated${newest === undefined ? '' : `; use ${group}/${newest} ${kind}`}`;
  }
}

type Selectable = Pick<Resource, 'selectableFields' | 'fieldValue'>;

function selectable(fields: readonly SelectableField[] = []): Selectable {
  const paths = new Map(
    fields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), parseJsonPath(`{${jsonPath}}`)] as const),
  );
  return {
    selectableFields: [...paths.keys()],
    fieldValue: (object: ApiObject, field: string) => {
      const [value = null] = paths.get(field)?.find(object) ?? [];
      return value === null ? '' : goText(value);
    },
  };
}

/** A schema of the old form, which preserves unknown fields at any depth. */
function keepingUnknown(schema: StructuralSchema): StructuralSchema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(schema.type === undefined || schema.type === 'object' ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, keepingUnknown(each)]),
          ),
        }),
    ...(items === undefined || Array.isArray(items) ? {} : { items: keepingUnknown(items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: keepingUnknown(additionalProperties) } : {}),
  };
}
