import type { Node } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';

/** Labels that came to be known by another name, and the name that old programs look for. */
const labelNames = [
  { name: 'kubernetes.io/os', oldName: 'beta.kubernetes.io/os' },
  { name: 'kubernetes.io/arch', oldName: 'beta.kubernetes.io/arch' },
];

/** The labels to set, so that old names say what the new ones say; undefined when they do. */
export function missingLabels({ metadata }: Observed<Node>): Readonly<Record<string, string>> | undefined {
  const labels = metadata.labels ?? {};
  const missing = labelNames.flatMap(({ name, oldName }) => {
    const value = labels[name];
    return value === undefined || labels[oldName] === value ? [] : [[oldName, value] as const];
  });
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
