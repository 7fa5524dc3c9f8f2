import type { ObjectSelection, KubernetesObject, Observed } from '../../client/index.ts';
import { LabelTests } from './label-test.ts';

/** Says whether an object is one of those that an informer of this where watches. Undefined: all are. */
export function selectionTest(where: ObjectSelection): ((object: Observed<KubernetesObject>) => boolean) | undefined {
  const { namespace, labelSelector, fieldSelector } = where;
  const tests: ((object: Observed<KubernetesObject>) => boolean)[] = [];
  if (namespace !== undefined) tests.push(({ metadata }) => metadata.namespace === namespace);
  if (labelSelector !== undefined) {
    const test = new LabelTests().of(labelSelector);
    tests.push(({ metadata }) => test(metadata.labels));
  }
  for (const [path, sign, value] of fieldTerms(fieldSelector ?? '')) {
    tests.push((object) => (fieldOf(object, path) === value) === (sign !== '!='));
  }
  return tests.length === 0 ? undefined : (object) => tests.every((test) => test(object));
}

/** `a.b=x,c!=y` as its terms. Values with escapes are rare enough to be taken literally. */
function fieldTerms(selector: string): readonly (readonly [path: string, sign: string, value: string])[] {
  return selector.split(',').flatMap((term) => {
    const [, path = '', sign = '', value = ''] = /^([^=!]+)(!=|==?)(.*)$/.exec(term) ?? [];
    return path === '' ? [] : [[path, sign, value] as const];
  });
}

/** The field as selectors see it: absent is empty. */
function fieldOf(object: unknown, path: string): string {
  let value = object;
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  return value === undefined || value === null ? '' : String(value as string | number | boolean);
}
