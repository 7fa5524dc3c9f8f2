import { expect, test } from 'vitest';
import { REVISION, ROLLBACK_TO } from './annotations.ts';
import { planRollback, rollbackRevision } from './rollback.ts';
import { deployment, set } from './testing/samples.ts';

const asking = deployment({ annotations: { [ROLLBACK_TO]: '0', [REVISION]: '2', cause: 'edit' } });
const first = set('first', 0, { image: 'old', annotations: { [REVISION]: '1', cause: 'create' } });
const second = set('second', 10, { image: 'new', annotations: { [REVISION]: '2', cause: 'edit' } });

test('a rollback is requested by annotation', () => {
  expect(rollbackRevision(asking)).toBe(0n);
  expect(rollbackRevision(deployment({ annotations: { [ROLLBACK_TO]: 'x' } }))).toBeUndefined();
  expect(rollbackRevision(deployment())).toBeUndefined();
});

test('a rollback takes template and annotations from the revision, and removes the request', () => {
  const { deployment: changed, event } = planRollback(asking, 0n, [first, second]);
  expect(changed.metadata?.annotations).toEqual({ [REVISION]: '2', cause: 'create' });
  expect(changed.spec?.template.spec?.containers[0]?.image).toBe('old');
  expect(changed.spec?.template.metadata?.labels).toEqual({ app: 'web' });
  expect(event).toEqual({ reason: 'DeploymentRollback', message: 'Rolled back deployment "web" to revision 1' });
});

test.each([
  [2n, [first, second], 'DeploymentRollbackTemplateUnchanged'],
  [7n, [first, second], 'DeploymentRollbackRevisionNotFound'],
  [0n, [second], 'DeploymentRollbackRevisionNotFound'],
])('a rollback to revision %s changes nothing but the request', (revision, sets, reason) => {
  const { deployment: changed, event } = planRollback(asking, revision, sets);
  expect(changed.spec).toEqual(asking.spec);
  expect(changed.metadata?.annotations).not.toHaveProperty([ROLLBACK_TO]);
  expect(event).toMatchObject({ type: 'Warning', reason });
});
