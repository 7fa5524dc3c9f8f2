import type { Node } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';

/** Labels with their deprecated names. */
const labelNames = [
  { name: 'kubernetes.io/os', oldName: 'beta.kubernetes.io/os' },
  { name: 'kubernetes.io/arch', oldName: 'beta.kubernetes.io/arch' },
];

/** The deprecated labels that must be set; undefined when they are all correct. */
export function missingLabels({ metadata }: Observed<Node>): Readonly<Record<string, string>> | undefined {
  const labels = metadata.labels ?? {};
  const missing = labelNames.flatMap(({ name, oldName }) => {
    const value = labels[name];
    return value === undefined || labels[oldName] === value ? [] : [[oldName, value] as const];
  });
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
