import type { ApiObject } from '../../api/index.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../api/types/apiextensions/v1.d.ts';
import type {
  CustomResourceColumnDefinition as OldColumn,
  CustomResourceConversion as OldConversion,
  CustomResourceDefinition as OldDefinition,
  CustomResourceDefinitionSpec as OldSpec,
  CustomResourceDefinitionVersion as OldVersion,
} from '../../api/types/apiextensions/v1beta1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { Conversion } from '../kind.ts';

export const OLD_VERSION = 'apiextensions.k8s.io/v1beta1';

/** The defaults of v1beta1 that its type does not declare. */
export function fillOldSpec(spec: OldSpec): void {
  spec.scope ||= 'Namespaced';
  const versions = spec.versions ?? [];
  if (versions.length === 0 && (spec.version ?? '') !== '')
    spec.versions = [{ name: spec.version ?? '', served: true, storage: true }];
  if ((spec.version ?? '') === '' && versions[0] !== undefined) spec.version = versions[0].name;
  const { conversion } = spec;
  if (conversion?.strategy === 'Webhook' && (conversion.conversionReviewVersions ?? []).length === 0)
    conversion.conversionReviewVersions = ['v1beta1'];
}

/** Converts between v1beta1, where versions may share a schema and the like, and v1, where each version has its own. */
export const definitionConversion: Conversion = {
  toStored(object) {
    const { spec, ...others } = object as unknown as OldDefinition;
    return { ...others, spec: newSpec(spec) } as unknown as ApiObject;
  },
  fromStored(object) {
    const { spec, ...others } = object as unknown as CustomResourceDefinition;
    return { ...others, spec: oldSpec(spec) } as unknown as ApiObject;
  },
};

function newSpec(spec: OldSpec): CustomResourceDefinition['spec'] {
  const { group, names, scope, validation, subresources, selectableFields, additionalPrinterColumns: columns } = spec;
  const { version = '', conversion } = spec;
  const given = spec.versions ?? [];
  const versions = given.length > 0 || version === '' ? given : [{ name: version, served: true, storage: true }];
  return {
    group,
    names,
    scope,
    versions: versions.map((one): CustomResourceDefinitionVersion => {
      const { additionalPrinterColumns: own, ...others } = one;
      const shared = (columns ?? []).length > 0 ? columns : own;
      return {
        ...others,
        ...(shared === undefined ? {} : { additionalPrinterColumns: shared.map(newColumn) }),
        ...(validation === undefined ? {} : { schema: validation }),
        ...(subresources === undefined ? {} : { subresources }),
        ...(selectableFields === undefined ? {} : { selectableFields }),
      };
    }),
    ...(conversion === undefined ? {} : { conversion: newConversion(conversion) }),
    ...(spec.preserveUnknownFields === undefined ? {} : { preserveUnknownFields: spec.preserveUnknownFields }),
  };
}

function newColumn({ JSONPath: jsonPath, ...others }: OldColumn): CustomResourceColumnDefinition {
  return { ...others, jsonPath };
}

function newConversion({
  strategy,
  webhookClientConfig,
  conversionReviewVersions,
}: OldConversion): CustomResourceConversion {
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return { strategy };
  const client = webhookClientConfig === undefined ? {} : { clientConfig: webhookClientConfig };
  return { strategy, webhook: { ...client, conversionReviewVersions: conversionReviewVersions ?? [] } };
}

/** Moves what all versions have in common to the top level. */
function oldSpec(spec: CustomResourceDefinition['spec']): OldSpec {
  const { group, names, scope, conversion, preserveUnknownFields = false } = spec;
  const versions = (spec.versions ?? []).map(oldVersion);
  const [first] = versions;
  const common = SHARED.filter((name) => versions.every((version) => deepEqual(version[name], first?.[name])));
  const shared = Object.fromEntries(common.map((name) => [name === 'schema' ? 'validation' : name, first?.[name]]));
  const removed = Object.fromEntries(common.map((name) => [name, undefined]));
  return {
    group,
    names,
    scope,
    ...(first === undefined ? {} : { version: first.name }),
    versions: versions.map((version) => ({ ...version, ...removed })),
    ...shared,
    ...(conversion === undefined ? {} : { conversion: oldConversion(conversion) }),
    preserveUnknownFields,
  };
}

const SHARED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

function oldVersion({ additionalPrinterColumns: columns, ...others }: CustomResourceDefinitionVersion): OldVersion {
  if (columns === undefined) return others;
  return {
    ...others,
    additionalPrinterColumns: columns.map(({ jsonPath, ...rest }) => ({ ...rest, JSONPath: jsonPath })),
  };
}

function oldConversion({ strategy, webhook }: CustomResourceConversion): OldConversion {
  if (webhook === undefined) return { strategy };
  const { clientConfig, conversionReviewVersions } = webhook;
  return {
    strategy,
    ...(clientConfig === undefined ? {} : { webhookClientConfig: clientConfig }),
    conversionReviewVersions,
  };
}
