import { type ConfigurationKind, fieldErrorText, listOf, readConfiguration } from '../../../api/index.ts';
import type { Toleration } from '../../../api/types/core/v1.d.ts';
import { checkTolerations } from '../../core/toleration-rules.ts';
import { TOLERATION } from '../tolerations-annotation.ts';

/** The rules of PodTolerationRestriction in namespaces without annotations. */
export interface TolerationRules {
  /** Added to every new pod. */
  readonly default?: readonly Toleration[];
  /** The only tolerations that pods may have; anything if empty. */
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
  const problems = (['default', 'whitelist'] as const).flatMap((list) => {
    const field = `podtolerationrestriction.${list}`;
    const tolerations = rules[list] ?? [];
    return checkTolerations(tolerations, field);
  });
  if (problems.length > 0) throw new Error(`invalid config: [${problems.map(fieldErrorText).join(' ')}]`);
  return rules;
}
