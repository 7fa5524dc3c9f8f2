import { expect, test } from 'vitest';
import { workloadOf } from './workload-environment.ts';

test('nothing runs beside the API server unless the environment asks for it', () => {
  expect(workloadOf({})).toBeUndefined();
  expect(workloadOf({ KEELSON_CONTROLLERS: '', KEELSON_SCHEDULER: 'false', KEELSON_NODES: '0' })).toBeUndefined();
  expect(workloadOf({ KEELSON_CONTROLLERS: 'none' })).toBeUndefined();
});

test('controllers, the scheduler and nodes can be enabled separately', () => {
  expect(workloadOf({ KEELSON_NODES: '3' })).toEqual({ controllers: false, scheduler: false, nodes: 3 });
  expect(workloadOf({ KEELSON_SCHEDULER: 'true' })).toEqual({ controllers: false, scheduler: true, nodes: 0 });
  const { controllers, ...others } = workloadOf({ KEELSON_CONTROLLERS: 'all' }) ?? {};
  expect([typeof controllers, others]).toEqual(['function', { scheduler: false, nodes: 0 }]);
});

test('an invalid number or boolean is rejected', () => {
  expect(() => workloadOf({ KEELSON_NODES: 'many' })).toThrow(
    'KEELSON_NODES must be a whole number from 0 to 10000, got "many"',
  );
  expect(() => workloadOf({ KEELSON_SCHEDULER: 'yes' })).toThrow('KEELSON_SCHEDULER must be true or false, got "yes"');
});
