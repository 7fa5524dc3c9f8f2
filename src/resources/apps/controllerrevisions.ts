import type { ControllerRevision } from '../../api/types/apps/v1.d.ts';
import { required } from '../../api/index.ts';
import { controllerRevisionColumns } from '../columns/workload-columns.ts';
import { defineKind } from '../kind.ts';

export const controllerRevisions = defineKind<ControllerRevision>({
  group: 'apps',
  plural: 'controllerrevisions',
  columns: controllerRevisionColumns,
  validate: ({ data }) => (data === undefined || data === null ? [required('data', 'data is mandatory')] : []),
});
