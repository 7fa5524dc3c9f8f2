import { goSyntax, goText, goType } from '../patch/go-value-text.ts';
import { itemElement } from './item-element.ts';
import type { ListType, MapType, MergeType, ScalarKind } from './merge-type.ts';
import { elementLabel, fieldElement, indexElement } from './path-element.ts';
import { TypedError, type TypedProblem } from './typed-error.ts';
import { asList, asMap, kindOf } from './value-kind.ts';

/**
 * Checks that an applied configuration is of its type: scalars, objects and lists are where they should be, there are no
 * unknown fields, and no two items of a list have the same key.
 *
 * Ends: with a TypedError that names every problem, in the words of Kubernetes.
 */
export function checkTyped(value: unknown, type: MergeType): void {
  const problems: TypedProblem[] = [];
  checkValue(value, type, { problems, path: '' });
  if (problems.length > 0) throw new TypedError(problems);
}

interface Place {
  readonly problems: TypedProblem[];
  readonly path: string;
}

function checkValue(value: unknown, type: MergeType, place: Place): void {
  if (value === null) return;
  switch (kindOf(value, type)) {
    case 'scalar':
      return checkScalar(value, type.scalar as ScalarKind, place);
    case 'map':
      return checkMap(value, type.map as MapType, place);
    case 'list':
      return checkList(value, type.list as ListType, place);
  }
}

function checkScalar(value: unknown, kind: ScalarKind, { problems, path }: Place): void {
  const fail = (message: string): void => void problems.push({ path, message });
  switch (kind) {
    case 'numeric':
      if (!isNumber(value)) fail(`expected numeric (int or float), got ${goType(value)}`);
      return;
    case 'string':
      if (typeof value !== 'string')
        fail(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') fail(`expected boolean, got &{${goText(value)}}`);
      return;
    case 'untyped':
      if (typeof value === 'object') fail(`expected any scalar, got &{${goText(value)}}`);
      return;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function checkMap(value: unknown, type: MapType, { problems, path }: Place): void {
  const map = asMap(value);
  if (map === undefined) {
    problems.push({ path, message: `expected map, got &{${goText(value)}}` });
    return;
  }
  for (const name in map) {
    const memberType = type.field(name)?.type ?? type.rest;
    const memberPath = `${path}${elementLabel(fieldElement(name))}`;
    if (memberType === undefined) {
      problems.push({ path: memberPath, message: 'field not declared in schema' });
      return;
    }
    checkValue(map[name], memberType, { problems, path: memberPath });
  }
}

function checkList(value: unknown, type: ListType, { problems, path }: Place): void {
  const list = asList(value);
  if (list === undefined) {
    problems.push({ path, message: `expected list, got &{${goText(value)}}` });
    return;
  }
  const seen = new Set<string>();
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const element = type.relation === 'atomic' ? indexElement(index) : itemElement(item, type);
    if (typeof element === 'string') {
      problems.push({ path, message: `element ${index}: ${element}` });
      return;
    }
    const label = elementLabel(element);
    if (seen.has(element.text)) problems.push({ path, message: `duplicate entries for key ${label}` });
    seen.add(element.text);
    checkValue(item, type.element, { problems, path: `${path}${label}` });
  }
}
