import type { ObjectSelection, KubernetesObject, Observed } from '../../client/index.ts';
import { LabelTests } from './label-test.ts';

/** A test whether an informer with this selection watches an object; undefined if it watches all. */
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

/** Splits `a.b=x,c!=y` into terms. Escapes in values are not supported. */
function fieldTerms(selector: string): readonly (readonly [path: string, sign: string, value: string])[] {
  return selector.split(',').flatMap((term) => {
    const [, path = '', sign = '', value = ''] = /^([^=!]+)(!=|==?)(.*)$/.exec(term) ?? [];
    return path === '' ? [] : [[path, sign, value] as const];
  });
}

/** The field's value as selectors see it: a missing field is empty. */
function fieldOf(object: unknown, path: string): string {
  let value = object;
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  return value === undefined || value === null ? '' : String(value as string | number | boolean);
}
