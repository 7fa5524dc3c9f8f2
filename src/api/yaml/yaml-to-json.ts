import { compareUtf8, type Steps, unreachable } from '../../base/index.ts';
import { DecodeError, decodeUtf8, type JsonEntry, type JsonNode, NULL_NODE } from '../json/index.ts';
import { decodeBase64, quoteGo, ValueError } from '../values/index.ts';
import { formatGoFloat32 } from './go-float.ts';
import { yamlError } from './go-yaml-error.ts';
import { ExpansionLimit } from './expansion-limit.ts';
import { LineCounter } from './line-counter.ts';
import type { YamlEntry, YamlNode } from './yaml-node.ts';
import { type GoScalar, resolveScalar } from './go-scalar.ts';

/** A YAML document as JSON. */
export interface YamlJson {
  /** Keys are sorted, and of duplicates only the last is kept, as Kubernetes passes it on. */
  readonly node: JsonNode;
  /** Duplicate keys, such as `line 5: key "name" already set in map`. */
  readonly duplicates: readonly string[];
}

/** Converts YAML to JSON as Kubernetes does, before anything is decoded into a type. */
export function* yamlToJson(node: YamlNode | undefined, text: string): Steps<YamlJson> {
  if (node === undefined) return { node: NULL_NODE, duplicates: [] };
  const converter = new Converter(text);
  return { node: yield* converter.convert(node), duplicates: converter.duplicates };
}

/** Go reports them all; here the limit of other problems applies. */
const MAX_DUPLICATES = 100;

/** How many nodes are converted in a step of a few milliseconds. */
const NODES_A_STEP = 10_000;

interface ConvertedEntry {
  readonly key: ResolvedScalar;
  readonly value: JsonNode;
}

class Converter {
  readonly duplicates: string[] = [];
  readonly #openAliases = new Set<YamlNode>();
  readonly #limit = new ExpansionLimit();
  readonly #lines: LineCounter;
  #nodes = 0;

  constructor(text: string) {
    this.#lines = new LineCounter(text);
  }

  *convert(node: YamlNode): Steps<JsonNode> {
    if (node.kind === 'scalar') return this.#scalar(node);
    this.#count(node);
    switch (node.kind) {
      case 'sequence': {
        const items: JsonNode[] = [];
        for (const item of node.items) {
          items.push(item.kind === 'scalar' ? this.#scalar(item) : yield* this.convert(item));
          if (this.#isStepDone()) yield;
        }
        return { kind: 'array', items };
      }
      case 'mapping': {
        const entries = new Map<string, ConvertedEntry>();
        yield* this.#addEntries(node.entries, entries);
        if (entries.size > NODES_A_STEP) yield;
        return { kind: 'object', entries: jsonEntries([...entries.values()]) };
      }
      case 'alias':
        return yield* this.#follow(node, (target) => this.convert(target));
      default:
        return unreachable(node);
    }
  }

  #scalar(node: YamlNode & { kind: 'scalar' }): JsonNode {
    this.#count(node);
    return jsonOf(resolveTagged(node));
  }

  /** Called after every item and entry. */
  #isStepDone(): boolean {
    this.#nodes += 1;
    return this.#nodes % NODES_A_STEP === 0;
  }

  /** Keys of different types differ, although they may become the same text: `1` and `"1"`. */
  *#addEntries(entries: readonly YamlEntry[], result: Map<string, ConvertedEntry>): Steps<void> {
    for (const { key, value } of entries) {
      if (isMerge(key)) {
        yield* this.#merge(value, result);
        continue;
      }
      const resolved = key.kind === 'alias' ? yield* this.#aliasedKey(key) : this.#key(key);
      const identity = `${resolved.kind}:${resolved.kind === 'null' ? '' : resolved.value}`;
      const converted = value.kind === 'scalar' ? this.#scalar(value) : yield* this.convert(value);
      if (result.has(identity) && this.duplicates.length < MAX_DUPLICATES) {
        this.duplicates.push(`line ${this.#lines.at(value.position)}: key ${describeKey(resolved)} already set in map`);
      }
      result.set(identity, { key: resolved, value: converted });
      if (this.#isStepDone()) yield;
    }
  }

  *#aliasedKey(node: YamlNode): Steps<ResolvedScalar> {
    if (node.kind === 'alias') this.#count(node);
    return node.kind === 'alias' ? yield* this.#follow(node, (target) => this.#aliasedKey(target)) : this.#key(node);
  }

  #key(node: YamlNode): ResolvedScalar {
    this.#count(node);
    if (node.kind === 'scalar') return resolveTagged(node);
    const items = node.kind === 'sequence' ? '[]interface {}{…}' : 'map[interface {}]interface {}{…}';
    throw yamlError(`invalid map key: ${items}`);
  }

  *#merge(node: YamlNode, result: Map<string, ConvertedEntry>): Steps<void> {
    if (node.kind === 'mapping') yield* this.#addEntries(node.entries, result);
    else if (node.kind === 'alias' && node.target?.kind !== 'sequence')
      yield* this.#follow(node, (target) => this.#merge(target, result));
    else if (node.kind === 'sequence' && node.items.every(isMapping)) {
      for (const item of node.items.toReversed()) yield* this.#merge(item, result); // earlier ones win
    } else throw yamlError('map merge requires map or sequence of maps as the value');
  }

  *#follow<T>(alias: YamlNode & { kind: 'alias' }, read: (target: YamlNode) => Steps<T>): Steps<T> {
    if (alias.target === undefined) throw yamlError(`unknown anchor '${alias.name}' referenced`);
    if (this.#openAliases.has(alias)) throw yamlError(`anchor '${alias.name}' value contains itself`);
    this.#openAliases.add(alias);
    const result = yield* read(alias.target);
    this.#openAliases.delete(alias);
    return result;
  }

  #count(node: YamlNode): void {
    this.#limit.count(node.kind === 'scalar' ? node.text.length : 0, this.#openAliases.size > 0);
  }
}

/** Sorted; of keys that have become the same text, the last wins, which is undefined in Go. */
function jsonEntries(entries: readonly ConvertedEntry[]): JsonEntry[] {
  const byText = new Map(entries.map(({ key, value }) => [keyText(key, value), value]));
  return [...byText].map(([key, value]) => ({ key, value })).sort((left, right) => compareUtf8(left.key, right.key));
}

function isMerge(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.text === '<<' && (node.tag === '!!merge' || (node.isPlain && node.tag === ''));
}

function isMapping(node: YamlNode): boolean {
  return node.kind === 'mapping' || (node.kind === 'alias' && node.target?.kind === 'mapping');
}

function jsonOf(scalar: ResolvedScalar): JsonNode {
  switch (scalar.kind) {
    case 'null':
      return NULL_NODE;
    case 'bool':
      return scalar;
    case 'int':
      return { kind: 'number', text: String(scalar.value) };
    case 'float':
      if (!Number.isFinite(scalar.value))
        throw new DecodeError('value', `json: unsupported value: ${goNumber(scalar.value)}`);
      return { kind: 'number', text: String(scalar.value) };
    case 'string':
      return scalar;
    default:
      return unreachable(scalar);
  }
}

function keyText(key: ResolvedScalar, value: JsonNode): string {
  switch (key.kind) {
    case 'null':
      throw unsupportedKey('%!s(<nil>)', '<nil>', value);
    case 'int':
      if (key.value > MAX_INT64) throw unsupportedKey('uint64', `0x${key.value.toString(16)}`, value);
      return String(key.value);
    case 'float':
      return formatGoFloat32(key.value);
    case 'bool':
    case 'string':
      return String(key.value);
    default:
      return unreachable(key);
  }
}

const MAX_INT64 = 2n ** 63n - 1n;

function unsupportedKey(type: string, key: string, value: JsonNode): DecodeError {
  return new DecodeError('value', `unsupported map key of type: ${type}, key: ${key}, value: ${describeValue(value)}`);
}

/** A key as Go prints values of its type. */
function describeKey(key: ResolvedScalar): string {
  if (key.kind === 'null') return 'interface {}(nil)';
  return key.kind === 'string' ? quoteGo(key.value) : String(key.value);
}

function goNumber(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** A value as Go prints it; of lists and maps only the type, with which they begin. */
function describeValue(value: JsonNode): string {
  switch (value.kind) {
    case 'null':
      return 'interface {}(nil)';
    case 'string':
      return quoteGo(value.value);
    case 'number':
      return value.text;
    case 'bool':
      return String(value.value);
    case 'array':
      return '[]interface {}{…}';
    case 'object':
      return 'map[interface {}]interface {}{…}';
    default:
      return unreachable(value);
  }
}

/** A scalar with its meaning. */
type ResolvedScalar =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string };

const TAGS: Readonly<Record<string, GoScalar['kind']>> = {
  '!!null': 'null',
  '!!bool': 'bool',
  '!!int': 'int',
  '!!float': 'float',
  '!!timestamp': 'timestamp',
};

const NAMES: Readonly<Record<GoScalar['kind'], string>> = {
  null: '!!null',
  bool: '!!bool',
  int: '!!int',
  float: '!!float',
  timestamp: '!!timestamp',
  merge: '!!merge',
  string: '!!str',
};

/** The meaning of a scalar: by its tag if it has a supported one, otherwise by its text. */
function resolveTagged(scalar: {
  readonly text: string;
  readonly tag: string;
  readonly isPlain: boolean;
}): ResolvedScalar {
  const { text, tag, isPlain } = scalar;
  if (tag === '') return isPlain ? meaningOf(text, resolveScalar(text)) : { kind: 'string', value: text };
  if (tag === '!!binary') return { kind: 'string', value: decodeBinary(text) };
  const wanted = TAGS[tag];
  if (wanted === undefined) return { kind: 'string', value: text };
  const found = resolveScalar(text);
  if (wanted === 'float' && found.kind === 'int') return { kind: 'float', value: Number(found.value) };
  if (found.kind !== wanted) throw yamlError(`cannot decode ${NAMES[found.kind]} \`${text}\` as a ${tag}`);
  return meaningOf(text, found);
}

function meaningOf(text: string, scalar: GoScalar): ResolvedScalar {
  const isText = scalar.kind === 'timestamp' || scalar.kind === 'merge' || scalar.kind === 'string';
  return isText ? { kind: 'string', value: text } : scalar;
}

function decodeBinary(text: string): string {
  const bytes = decodeBase64(text);
  if (bytes instanceof ValueError) throw yamlError('!!binary value contains invalid base64 data');
  return decodeUtf8(bytes);
}
