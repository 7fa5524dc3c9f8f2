import { expect, test } from 'vitest';
import { builtInTypes } from '../../api/index.ts';
import { jsonStorage, type Resource } from '../../apiserver/index.ts';
import { SeededRandom, VirtualClock } from '../../base/index.ts';
import { openMemoryStore } from '../../store/index.ts';
import { builtInAdmission } from './built-in-admission.ts';

function namesWithout(...disabled: readonly string[]): string[] {
  const clock = new VirtualClock();
  const parts = {
    store: openMemoryStore({ clock }),
    types: builtInTypes(),
    codecFor: ({ storage }: Pick<Resource, 'storage'>) => jsonStorage(storage.type),
    clock,
    random: new SeededRandom(1),
  };
  return builtInAdmission(parts, disabled).map(({ name }) => name);
}

test("plugins run in kube-apiserver's order", () => {
  expect(namesWithout()).toEqual([
    'NamespaceLifecycle',
    'LimitRanger',
    'ServiceAccount',
    'TaintNodesByCondition',
    'Priority',
    'DefaultTolerationSeconds',
    'RuntimeClass',
  ]);
});

test('plugins can be switched off by name, also those that are not there', () => {
  expect(namesWithout('Priority', 'RuntimeClass', 'ResourceQuota', 'ServiceAccount')).toEqual([
    'NamespaceLifecycle',
    'LimitRanger',
    'TaintNodesByCondition',
    'DefaultTolerationSeconds',
  ]);
});

test('a plugin that nobody knows cannot be switched off', () => {
  expect(() => namesWithout('priority')).toThrow(
    'Cannot choose admission plugins: disable-admission-plugins plugin "priority" is unknown',
  );
});
