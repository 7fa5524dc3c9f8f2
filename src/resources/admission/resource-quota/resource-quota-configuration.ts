import { fieldErrorText, required } from '../../../api/index.ts';
import type { ScopeRule } from '../../../api/meaning/index.ts';
import { configurationStruct, decodeConfiguration } from '../configuration-type.ts';
import { together } from '../refusal.ts';

/** Objects of a kind that may be used only where a quota bounds them. */
export interface LimitedResource {
  /** Empty for the core group. */
  readonly apiGroup?: string;
  readonly resource: string;
  /** Parts of names of resources that must be bounded where they are used. */
  readonly matchContains?: readonly string[];
  /** Scopes that a quota must be about where objects are in them. */
  readonly matchScopes?: readonly ScopeRule[];
}

/** What a ResourceQuotaConfiguration says. */
export interface ResourceQuotaConfiguration {
  readonly limitedResources: readonly LimitedResource[];
}

const kind = {
  group: 'apiserver.config.k8s.io',
  kind: 'ResourceQuotaConfiguration',
  versions: ['v1'],
  struct: configurationStruct('ResourceQuotaConfiguration', {
    kind: 'string',
    apiVersion: 'string',
    limitedResources: [
      configurationStruct('LimitedResource', {
        apiGroup: 'string',
        resource: 'string',
        matchContains: ['string'],
        matchScopes: [
          configurationStruct('ScopedResourceSelectorRequirement', {
            scopeName: 'string',
            operator: 'string',
            values: ['string'],
          }),
        ],
      }),
    ],
  }),
};

/** The group and kind that the same configuration had before. */
const older = {
  ...kind,
  group: 'resourcequota.admission.k8s.io',
  kind: 'Configuration',
  versions: ['v1beta1', 'v1alpha1'],
};

/** Reads a ResourceQuotaConfiguration that was decoded from JSON or YAML; throws what is wrong with it, as kube-apiserver says it. */
export function readResourceQuotaConfiguration(value: unknown): ResourceQuotaConfiguration {
  const isOlder = (value as { kind?: unknown } | null)?.kind === older.kind;
  const decoded = decodeConfiguration(value, isOlder ? older : kind) as Partial<ResourceQuotaConfiguration>;
  const { limitedResources = [] } = decoded;
  const errors = limitedResources.flatMap(({ resource = '' }, index) =>
    resource === '' ? [required(`limitedResources[${index}].resource`)] : [],
  );
  if (errors.length > 0) throw new Error(together(errors.map(fieldErrorText)));
  return { limitedResources };
}
