import { compareUtf8 } from '../../base/index.ts';
import { encodeJson } from '../json/index.ts';
import { quoteGo } from '../values/index.ts';

/**
 * One step of a path into an object: a member by name, an element of a `map` list by its key fields, an element of a `set`
 * by its value, or an element of any list by its index.
 */
export type PathElement = FieldElement | KeyElement | ValueElement | IndexElement;

export interface FieldElement {
  readonly kind: 'field';
  /** As FieldsV1 writes it: `f:spec`. Two elements are the same if their texts are. */
  readonly text: string;
  readonly name: string;
}

export interface KeyElement {
  readonly kind: 'key';
  /** Such as `k:{"containerPort":80,"protocol":"TCP"}`. */
  readonly text: string;
  /** Sorted by name. */
  readonly fields: readonly KeyField[];
}

export interface ValueElement {
  readonly kind: 'value';
  /** Such as `v:"example.com/finalizer"`. */
  readonly text: string;
  readonly value: unknown;
}

export interface IndexElement {
  readonly kind: 'index';
  /** Such as `i:0`. */
  readonly text: string;
  readonly index: number;
}

export interface KeyField {
  readonly name: string;
  readonly value: unknown;
}

export function fieldElement(name: string): FieldElement {
  return { kind: 'field', text: `f:${name}`, name };
}

/** `fields` in any order. */
export function keyElement(fields: readonly KeyField[]): KeyElement {
  const sorted = fields.length < 2 ? fields : [...fields].sort((left, right) => compareUtf8(left.name, right.name));
  const members = sorted.map(({ name, value }) => `${JSON.stringify(name)}:${encodeJson(value)}`);
  return { kind: 'key', text: `k:{${members.join(',')}}`, fields: sorted };
}

export function valueElement(value: unknown): ValueElement {
  return { kind: 'value', text: `v:${encodeJson(value)}`, value };
}

/** Limits of the cache: number of elements and length of texts. */
const MAX_ELEMENTS = 64;
const MAX_TEXT = 256;

/** Elements recently made from a text: lists of one type mostly have items with the same names. */
export class RecentElements {
  readonly #known = new Map<string, PathElement>();

  of(text: string, make: (text: string) => PathElement): PathElement {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const element = make(text);
    if (text.length > MAX_TEXT) return element;
    if (this.#known.size >= MAX_ELEMENTS) this.#known.clear();
    this.#known.set(text, element);
    return element;
  }
}

export function indexElement(index: number): IndexElement {
  return { kind: 'index', text: `i:${index}`, index };
}

/** The order in which FieldsV1 prints elements: fields, keys, values, indexes. */
export function compareElements(left: PathElement, right: PathElement): number {
  if (left.text === right.text) return 0;
  switch (left.kind) {
    case 'field':
      return right.kind === 'field' ? compareUtf8(left.name, right.name) : -1;
    case 'key':
      return right.kind === 'key' ? compareKeys(left.fields, right.fields) : compareKinds(left, right);
    case 'value':
      return right.kind === 'value' ? compareValues(left.value, right.value) : compareKinds(left, right);
    case 'index':
      return right.kind === 'index' ? left.index - right.index : 1;
  }
}

const KINDS: readonly PathElement['kind'][] = ['field', 'key', 'value', 'index'];

function compareKinds(left: PathElement, right: PathElement): number {
  return KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind);
}

function compareKeys(left: readonly KeyField[], right: readonly KeyField[]): number {
  for (let index = 0; index < left.length && index < right.length; index++) {
    const [mine, other] = [left[index] as KeyField, right[index] as KeyField];
    const order = compareUtf8(mine.name, other.name) || compareValues(mine.value, other.value);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** How messages write one element: `.spec`, `[name="web"]`, `[="a"]` or `[0]`. */
export function elementLabel(element: PathElement): string {
  switch (element.kind) {
    case 'field':
      return `.${element.name}`;
    case 'key':
      return `[${element.fields.map(({ name, value }) => `${name}=${valueLabel(value)}`).join(',')}]`;
    case 'value':
      return `[=${valueLabel(element.value)}]`;
    case 'index':
      return `[${element.index}]`;
  }
}

/** How messages write a path: `.spec.containers[name="web"].image`. */
export function pathLabel(path: readonly PathElement[]): string {
  return path.map(elementLabel).join('');
}

function valueLabel(value: unknown): string {
  if (typeof value === 'string') return quoteGo(value);
  if (Array.isArray(value)) return `[${value.map(valueLabel).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, member]) => `${name}=${valueLabel(member)}`)
      .join('');
  }
  return String(value);
}

/**
 * The order of values in list keys and sets: numbers, strings, booleans, lists, objects, null. Numbers compare by value,
 * whether or not they were written as integers.
 */
function compareValues(left: unknown, right: unknown): number {
  const rank = rankOf(left);
  const difference = rank - rankOf(right);
  if (difference !== 0) return difference;
  switch (rank) {
    case NUMBER:
      return compareNumbers(left as number | bigint, right as number | bigint);
    case TEXT:
      return compareUtf8(left as string, right as string);
    case BOOLEAN:
      return Number(left) - Number(right);
    case LIST:
      return compareLists(left as readonly unknown[], right as readonly unknown[]);
    case OBJECT:
      return compareObjects(left as object, right as object);
    default:
      return 0;
  }
}

const NUMBER = 0;
const TEXT = 1;
const BOOLEAN = 2;
const LIST = 3;
const OBJECT = 4;
const NULL = 5;

function rankOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return NUMBER;
    case 'string':
      return TEXT;
    case 'boolean':
      return BOOLEAN;
    default:
      return value === null || value === undefined ? NULL : Array.isArray(value) ? LIST : OBJECT;
  }
}

function compareNumbers(left: number | bigint, right: number | bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareLists(left: readonly unknown[], right: readonly unknown[]): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const order = compareValues(left[index], right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareObjects(left: object, right: object): number {
  return compareLists(sortedEntries(left), sortedEntries(right));
}

function sortedEntries(value: object): unknown[] {
  return Object.entries(value)
    .sort(([left], [right]) => compareUtf8(left, right))
    .flat();
}
