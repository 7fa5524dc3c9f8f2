import { compareUtf8 } from '../../base/index.ts';
import { StatusError } from '../status.ts';
import { quoteGo } from '../values/index.ts';
import { difference } from './field-set-algebra.ts';
import type { FieldSet } from './field-set.ts';
import type { FieldManager, FieldManagers } from './field-managers.ts';
import { pathLabel } from './path-element.ts';

/** What an applied configuration would take from others, by the ids of its managers. */
export type Conflicts = ReadonlyMap<string, FieldSet>;

/** The conflicts that are not in `allowed`; undefined when none are left. */
export function conflictsBeyond(conflicts: Conflicts, allowed: FieldSet): Conflicts | undefined {
  const left = new Map<string, FieldSet>();
  for (const [id, set] of conflicts) {
    const rest = difference(set, allowed);
    if (!rest.isEmpty) left.set(id, rest);
  }
  return left.size === 0 ? undefined : left;
}

/** 409 with a cause for each field that belongs to somebody else. */
export function applyConflict(conflicts: Conflicts, managers: FieldManagers): StatusError {
  const groups = [...conflicts]
    .sort(([left], [right]) => compareUtf8(left, right))
    .map(([id, set]) => ({ label: managerLabel(managers.get(id)), fields: [...set.paths()].map(pathLabel) }));
  const causes = groups.flatMap(({ label, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${label}`, field })),
  );
  const [only] = causes;
  const message =
    causes.length === 1 && only !== undefined
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${groups.map(groupText).join('\n')}`;
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Apply failed with ${message}`,
    details: { causes },
  });
}

function groupText({ label, fields }: { readonly label: string; readonly fields: readonly string[] }): string {
  return [`conflicts with ${label}:`, ...fields.map((field) => `- ${field}`)].join('\n');
}

function managerLabel(manager: FieldManager | undefined): string {
  if (manager === undefined) return quoteGo('');
  const { name, operation, apiVersion, subresource } = manager;
  const where = subresource === '' ? '' : ` with subresource ${quoteGo(subresource)}`;
  return `${quoteGo(name)}${where}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
