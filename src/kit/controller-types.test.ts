// What the compiler reports to authors of controllers. These tests run at compile time: `tsc --noEmit`.
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { ConfigMap, index, type KubernetesObject, namespacedKind, Pod, Secret } from '../client/index.ts';
import { type Condition, controlledBy, controller, type Objects, resource, watch } from './index.ts';

interface Widget extends KubernetesObject {
  spec: { size: number };
  status?: { phase: 'Pending' | 'Ready'; conditions?: Condition[] };
}
const Widget = namespacedKind<Widget>({ apiVersion: 'example.com/v1', kind: 'Widget', plural: 'widgets' });
const Gadget = resource('example.com/v1', 'Gadget', {
  spec: z.object({ size: z.number() }),
  status: z.object({ phase: z.enum(['Pending', 'Ready']) }),
});

test('literals in a status need no "as const"', () => {
  controller(Widget, {
    async reconcile({ spec }, { conditions }) {
      if (spec.size > 1) return { phase: 'Pending' };
      return { phase: 'Ready', conditions: conditions({ type: 'Ready', status: true }) };
    },
  });
  controller(Widget, { reconcile: ({ spec }) => ({ phase: spec.size > 3 ? 'Ready' : 'Pending' }) });
  controller(Gadget, {
    reconcile: async ({ spec }, { report }) => {
      report({ phase: 'Pending' });
      if (spec.size === 0) return;
      return { phase: 'Ready' };
    },
  });
  // @ts-expect-error -- no such phase
  controller(Widget, { reconcile: () => ({ phase: 'Redy' }) });
  // @ts-expect-error -- no such phase
  controller(Gadget, { reconcile: async (_, { report }) => report({ phase: 'Redy' }) });
  // @ts-expect-error -- the kind has no status
  controller(ConfigMap, { reconcile: () => ({ phase: 'Ready' }) });
  expect.assertions(0);
});

test('kinds that are not declared are refused', () => {
  controller(Widget, {
    owns: [Secret, ConfigMap],
    reads: [Gadget],
    watches: [controlledBy(Pod), watch(ConfigMap, { to: () => [] })],
    async reconcile({ metadata: { name } }, { desire, desireAll, objects }) {
      const secret = await desire(Secret, { metadata: { name } });
      expectTypeOf(secret.stringData).toEqualTypeOf<{ readonly [name: string]: string } | undefined>();
      await desireAll(ConfigMap, [{ metadata: { name }, data: { a: 'b' } }]);
      expectTypeOf(objects(Pod)).toEqualTypeOf<Objects<Pod>>();
      expectTypeOf(objects(Gadget).get(name)?.spec.size).toEqualTypeOf<number | undefined>();
      objects(Widget).get(name);
      // @ts-expect-error -- read, but not owned
      await desire(Gadget, { metadata: { name }, spec: { size: 1 } });
      // @ts-expect-error -- the values of a ConfigMap are strings
      await desire(ConfigMap, { metadata: { name }, data: { a: 1 } });
    },
    finalize(_, { objects }) {
      objects(Gadget);
    },
  });
  controller(Widget, {
    reconcile(_, { objects }) {
      // @ts-expect-error -- nothing is declared
      objects(Pod);
    },
  });
  expect.assertions(0);
});

test('invalid durations are refused', () => {
  controller(Widget, {
    reconcile(_, { after }) {
      after('5m');
      after('1h30m');
      after('500ms');
      after(2000);
      // @ts-expect-error -- no unit of that name
      after('10 minutes');
      // @ts-expect-error -- no unit
      after('10');
    },
  });
  expect.assertions(0);
});

test('an index knows the type of its objects', () => {
  const byNode = index(Pod, (pod) => pod.spec?.nodeName);
  const bySize = index(Gadget, ({ spec }) => [String(spec.size)]);
  controller(Pod, {
    reads: [Gadget],
    reconcile({ spec }, { objects }) {
      expectTypeOf(objects(Pod).byIndex(byNode, spec?.nodeName ?? '')[0]?.spec?.nodeName).toEqualTypeOf<
        string | undefined
      >();
      objects(Gadget).byIndex(bySize, '1');
      // @ts-expect-error -- an index of another kind
      objects(Pod).byIndex(bySize, '1');
    },
  });
  expect.assertions(0);
});
