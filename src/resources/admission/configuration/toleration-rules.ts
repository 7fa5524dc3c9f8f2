import {
  type ConfigurationKind,
  type FieldError,
  fieldErrorText,
  listOf,
  invalidValue,
  notSupported,
  qualifiedNameProblems,
  readConfiguration,
} from '../../../api/index.ts';
import type { Toleration } from '../../../api/types/core/v1.d.ts';
import { checkTolerations } from '../../core/pod-spec-rules.ts';
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
    return [
      ...checkTolerations(tolerations, field),
      ...tolerations.flatMap((each, index) => unknownWords(each, `${field}[${index}]`)),
    ];
  });
  if (problems.length > 0) throw new Error(`invalid config: [${problems.map(fieldErrorText).join(' ')}]`);
  return rules;
}

/** Checks operators and effects, which the type of pods restricts and the configuration's does not. */
function unknownWords({ key = '', operator, effect }: Toleration, field: string): FieldError[] {
  const ofKey = key === '' ? [] : qualifiedNameProblems(key);
  return [
    ...ofKey.map((problem) => invalidValue(`${field}.key`, key, problem)),
    ...unlessOneOf(OPERATORS, `${field}.operator`, operator),
    ...unlessOneOf(EFFECTS, `${field}.effect`, effect),
  ];
}

const OPERATORS = ['Equal', 'Exists'];
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function unlessOneOf(known: readonly string[], field: string, word: string = ''): FieldError[] {
  return word === '' || known.includes(word) ? [] : [notSupported(field, word, known)];
}
