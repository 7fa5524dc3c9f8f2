import { type ConfigurationKind, fieldErrorText, listOf, readConfiguration } from '../../../api/index.ts';
import type { Toleration } from '../../../api/types/core/v1.d.ts';
import { checkTolerations } from '../../core/pod-spec-rules.ts';
import { TOLERATION } from '../tolerations-annotation.ts';

/** What PodTolerationRestriction goes by in namespaces that say nothing. */
export interface TolerationRules {
  /** Added to every new pod. */
  readonly default?: readonly Toleration[];
  /** All that pods may tolerate; anything when empty. */
  readonly whitelist?: readonly Toleration[];
}

const TOLERATIONS = listOf(TOLERATION);

const CONFIGURATION: ConfigurationKind = {
  group: 'podtolerationrestriction.admission.k8s.io',
  kind: 'Configuration',
  versions: ['v1alpha1'],
  fields: () => ({ default: TOLERATIONS, whitelist: TOLERATIONS }),
};

export function readTolerationRules(text: string | undefined): TolerationRules {
  if (text === undefined) return {};
  const rules = readConfiguration<TolerationRules>(text, [CONFIGURATION], { isStrict: false });
  const problems = (['default', 'whitelist'] as const).flatMap((list) =>
    checkTolerations(rules[list] ?? [], `podtolerationrestriction.${list}`),
  );
  if (problems.length > 0) throw new Error(`invalid config: [${problems.map(fieldErrorText).join(' ')}]`);
  return rules;
}
