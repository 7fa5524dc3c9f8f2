import {
  fieldErrorText,
  invalidValue,
  labelValueProblems,
  qualifiedNameProblems,
  YamlBody,
} from '../../../api/index.ts';

/** The labels that nodes of pods must have, by namespace; `clusterDefaultNodeSelector` applies to all others. */
export type NodeSelectors = Readonly<Record<string, string>>;

/** Reads the configuration of PodNodeSelector; as upstream, an unreadable one counts as absent. */
export function readNodeSelectors(text: string | undefined): NodeSelectors {
  const selectors = membersOf(membersOf(parsed(text ?? ''))['podNodeSelectorPluginConfig']);
  return Object.fromEntries(
    Object.entries(selectors).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function parsed(text: string): unknown {
  try {
    return new YamlBody(text).untyped();
  } catch {
    return undefined; // kube-apiserver starts as if there were none
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The labels in a selector such as `a=b,c=d`; throws if it is malformed. */
export function labelsOfSelector(selector: string): Readonly<Record<string, string>> {
  if (selector === '') return {};
  return Object.fromEntries(
    selector.split(',').map((part) => {
      const pieces = part.split('=');
      const [key = '', value = ''] = pieces.map((piece) => piece.trim());
      if (pieces.length !== 2) throw new Error(`invalid selector: [${pieces.join(' ')}]`);
      refuse('<nil>', key, qualifiedNameProblems(key));
      refuse(`[${key}]`, value, labelValueProblems(value));
      return [key, value];
    }),
  );
}

function refuse(field: string, value: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(fieldErrorText(invalidValue(field, value, problems.join('; '))));
}
