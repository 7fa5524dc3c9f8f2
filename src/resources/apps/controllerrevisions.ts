import { isPlainObject, required } from '../../api/index.ts';
import { controllerOf } from '../../api/meaning/index.ts';
import type { ControllerRevision } from '../../api/types/apps/v1.d.ts';
import { ageColumn, column, nameColumn, NONE } from '../columns/column.ts';
import { defineKind } from '../kind.ts';

export const controllerRevisions = defineKind<ControllerRevision>({
  group: 'apps',
  plural: 'controllerrevisions',
  columns: [
    nameColumn,
    column('Controller', 'Kind and name of what made the revision', controllerText),
    column('Revision', 'Number of the revision', ({ revision }) => revision),
    ageColumn,
  ],
  changeSteps: ['metadataChange', 'metadata', 'object', 'change'],
  validateUpdate: () => [], // data may not change
  validate({ data }) {
    if (data === undefined || data === null) return [required('data', 'data is mandatory')];
    return isPlainObject(data) ? [] : [required('data', 'data must be a valid JSON object')];
  },
});

function controllerText(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (owner === undefined) return NONE;
  const [group = ''] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [];
  const kind = group === '' ? owner.kind : `${owner.kind}.${group}`;
  return kind === '' ? owner.name : `${kind.toLowerCase()}/${owner.name}`;
}
