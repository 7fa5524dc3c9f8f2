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

/** A kind whose objects may only be used if a quota covers them. */
export interface LimitedResource {
  /** Empty for the core group. */
  readonly apiGroup?: string;
  readonly resource: string;
  /** Substrings of resource names that must be covered if they are used. */
  readonly matchContains?: readonly string[];
  /** Scopes that a quota must cover for objects in them. */
  readonly matchScopes?: readonly ScopeRule[];
}

/** The contents of a ResourceQuotaConfiguration. */
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

/** The second is the former name of the same configuration. */
const kinds: readonly ConfigurationKind[] = [
  { group: 'apiserver.config.k8s.io', kind: 'ResourceQuotaConfiguration', versions: ['v1'], fields },
  { group: 'resourcequota.admission.k8s.io', kind: 'Configuration', versions: ['v1beta1', 'v1alpha1'], fields },
];

/** Reads a ResourceQuotaConfiguration in JSON or YAML; throws its problems, in kube-apiserver's words. */
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
