import { sentEmpty } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
  WebhookClientConfig,
} from '../../api/types/apiextensions/v1.d.ts';
import type { Schema } from './definition.ts';

/** What a definition may specify once for all its versions. */
interface Shared {
  readonly schema?: CustomResourceValidation | undefined;
  readonly subresources?: CustomResourceSubresources | undefined;
  readonly additionalPrinterColumns?: CustomResourceColumnDefinition[] | undefined;
  readonly selectableFields?: SelectableField[] | undefined;
}

export interface HubVersion extends Omit<CustomResourceDefinitionVersion, keyof Shared>, Shared {}

export interface HubConversion {
  readonly strategy: string;
  readonly clientConfig: WebhookClientConfig | undefined;
  readonly reviewVersions: readonly string[];
}

/**
 * A definition's spec in upstream's unversioned form, in which it is validated: what all versions share appears once,
 * outside of the versions. Messages name fields of that form, so `spec.versions[0].schema` of a definition with a
 * single version is `spec.validation` in them.
 */
export interface HubSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: CustomResourceDefinitionNames;
  /** The name of the first version; empty when there is none. */
  readonly version: string;
  readonly versions: readonly HubVersion[];
  /** Whether the client sent a list of versions at all. */
  readonly hasVersions: boolean;
  readonly shared: Shared;
  /** Whether versions specify their own subresources. */
  readonly hasOwnSubresources: boolean;
  readonly conversion: HubConversion | undefined;
  readonly preservesUnknown: boolean;
}

const MOVABLE = ['subresources', 'schema', 'additionalPrinterColumns', 'selectableFields'] as const;

export function hubSpec(spec: CustomResourceDefinitionSpec): HubSpec {
  const { group = '', scope = '', names } = spec;
  const versions = spec.versions ?? []; // null when the client left it out
  const [first] = versions;
  const isCommon = (name: keyof Shared): boolean =>
    first !== undefined && versions.every((version) => deepEqual(version[name], first[name]));
  const common = MOVABLE.filter(isCommon);
  const moved = Object.fromEntries(common.map((name) => [name, undefined]));
  return {
    group,
    scope,
    names,
    version: first?.name ?? '',
    versions: versions.map((version) => ({ ...version, ...moved })),
    hasVersions: (spec.versions ?? sentEmpty(spec, 'versions')) !== null,
    shared: Object.fromEntries(common.map((name) => [name, first?.[name]])),
    hasOwnSubresources: !common.includes('subresources'),
    conversion: hubConversion(spec),
    preservesUnknown: spec.preserveUnknownFields === true,
  };
}

function hubConversion({ conversion }: CustomResourceDefinitionSpec): HubConversion | undefined {
  if (conversion === undefined) return undefined;
  const { clientConfig, conversionReviewVersions } = conversion.webhook ?? {};
  return { strategy: conversion.strategy ?? '', clientConfig, reviewVersions: conversionReviewVersions ?? [] };
}

/** All schemas of a definition: the common one, or one a version. */
export function schemasOf({ shared, versions }: HubSpec): readonly Schema[] {
  return [shared, ...versions].flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
}

/** Whether objects have a status subresource, in a version or, without one, in any. */
export function hasStatus({ shared, versions, hasOwnSubresources }: HubSpec, version?: HubVersion): boolean {
  if (version === undefined)
    return [shared, ...versions].some(({ subresources }) => subresources?.status !== undefined);
  return (hasOwnSubresources ? version : shared).subresources?.status !== undefined;
}
