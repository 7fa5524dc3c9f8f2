import {
  type ConfigurationKind,
  fieldErrorText,
  listOf,
  objectOf,
  readConfiguration,
  required,
  TEXT,
} from '../../../api/index.ts';
import type { ScopeRule } from '../../../api/meaning/index.ts';
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

const fields: ConfigurationKind['fields'] = (version) => ({
  limitedResources: listOf(
    objectOf(`${version}.LimitedResource`, {
      apiGroup: TEXT,
      resource: TEXT,
      matchContains: listOf(TEXT),
      matchScopes: listOf(
        objectOf('v1.ScopedResourceSelectorRequirement', { scopeName: TEXT, operator: TEXT, values: listOf(TEXT) }),
      ),
    }),
  ),
});

/** The second is what the same configuration was called before. */
const kinds: readonly ConfigurationKind[] = [
  { group: 'apiserver.config.k8s.io', kind: 'ResourceQuotaConfiguration', versions: ['v1'], fields },
  { group: 'resourcequota.admission.k8s.io', kind: 'Configuration', versions: ['v1beta1', 'v1alpha1'], fields },
];

/** Reads a ResourceQuotaConfiguration in JSON or YAML; throws what is wrong with it, as kube-apiserver says it. */
export function readResourceQuotaConfiguration(text: string): ResourceQuotaConfiguration {
  const { limitedResources = [] } = readConfiguration<Partial<ResourceQuotaConfiguration>>(text, kinds, {
    isStrict: true,
  });
  const errors = limitedResources.flatMap(({ resource = '' }, index) =>
    resource === '' ? [required(`limitedResources[${index}].resource`)] : [],
  );
  if (errors.length > 0) throw new Error(together(errors.map(fieldErrorText)));
  return { limitedResources };
}
