import { expect, test } from 'vitest';
import { jsonStorage, ServerObjects } from '../../apiserver/index.ts';
import { discardLogger, SeededRandom, VirtualClock } from '../../base/index.ts';
import { openMemoryStore } from '../../store/index.ts';
import { builtInAdmission } from './built-in-admission.ts';
import { pluginOrder } from './plugin-order.ts';

function namesWithout(...disabled: readonly string[]): string[] {
  const clock = new VirtualClock();
  const objects = new ServerObjects({
    store: openMemoryStore({ clock }),
    codecFor: ({ storage }) => jsonStorage(storage.type),
    clock,
    log: discardLogger,
  });
  const update = () => Promise.resolve();
  return builtInAdmission({ objects, clock, random: new SeededRandom(1), update }, { disable: disabled }).map(
    ({ name }) => name,
  );
}

const ORDER = pluginOrder.map(({ name }) => name);

test('plugins run in the order of kube-apiserver, by default those that it enables', () => {
  const names = namesWithout();
  expect(names).toEqual(ORDER.filter((name) => names.includes(name)));
  expect(names).toEqual(
    expect.arrayContaining(['NamespaceLifecycle', 'DefaultStorageClass', 'PodTopologyLabels', 'PodResizeValidator']),
  );
  expect(names).not.toContain('AlwaysPullImages');
});

test('plugins can be disabled by name, also those that are not implemented', () => {
  const disabled = ['Priority', 'RuntimeClass', 'ImagePolicyWebhook', 'ServiceAccount'];
  expect(namesWithout(...disabled)).toEqual(namesWithout().filter((name) => !disabled.includes(name)));
});

test('an unknown plugin cannot be disabled', () => {
  expect(() => namesWithout('priority')).toThrow(
    'Cannot choose admission plugins: disable-admission-plugins plugin "priority" is unknown',
  );
});
