import type { ControllerRevision } from '../../api/types/apps/v1.d.ts';
import { required } from '../../api/index.ts';
import { defineKind } from '../kind.ts';

export const controllerRevisions = defineKind<ControllerRevision>({
  group: 'apps',
  plural: 'controllerrevisions',
  validate: ({ data }) => (data === undefined || data === null ? [required('data', 'data is mandatory')] : []),
});
