import { isUtf8 } from 'node:buffer';
import { allAtOnce, type Steps } from '../../base/index.ts';
import {
  type Decoded,
  type DecodeOptions,
  type JsonNode,
  nodeDecoding,
  type TypeMeta,
  typeMetaOfNode,
  untypedValue,
} from '../json/index.ts';
import type { Struct } from '../schema/schema.ts';
import { yamlError } from './go-yaml-error.ts';
import { yamlParsing } from './yaml-node.ts';
import { yamlToJson, type YamlJson } from './yaml-to-json.ts';

/**
 * A YAML text that has been parsed, and not decoded into a type yet. Of several documents the first one counts.
 *
 * Ends: the constructor throws a DecodeError for what is no YAML, or cannot be JSON, or is blown up by aliases.
 */
export class YamlBody {
  readonly node: JsonNode;
  readonly #duplicates: readonly string[];

  constructor(text: string | Uint8Array, json = allAtOnce(jsonOf(text))) {
    this.node = json.node;
    this.#duplicates = json.duplicates;
  }

  /** Parses a long text in steps. */
  static *parsing(text: string | Uint8Array): Steps<YamlBody> {
    return new YamlBody(text, yield* jsonOf(text));
  }

  /** Keys that came twice, such as `line 5: key "name" already set in map`. */
  get duplicates(): readonly string[] {
    return this.#duplicates;
  }

  /** The value that no type is known for, see `parseUntyped`. */
  untyped(): unknown {
    return untypedValue(this.node);
  }

  get typeMeta(): TypeMeta {
    return typeMetaOfNode(this.node);
  }

  /** Decodes into a type; duplicate keys count as problems, before all others. */
  decode(struct: Struct, options: DecodeOptions = {}): Decoded {
    return allAtOnce(this.decoding(struct, options));
  }

  /** The same in steps. */
  decoding(struct: Struct, options: DecodeOptions): Steps<Decoded> {
    const warnings = this.#duplicates;
    const error = warnings.length === 0 ? '' : `yaml: unmarshal errors:\n  ${warnings.join('\n  ')}`;
    return nodeDecoding(this.node, struct, { ...options, found: { error, warnings } });
  }
}

/** Decodes YAML into a type, see `decodeJson`. */
export function decodeYaml(text: string | Uint8Array, struct: Struct, options: DecodeOptions = {}): Decoded {
  return new YamlBody(text).decode(struct, options);
}

function* jsonOf(text: string | Uint8Array): Steps<YamlJson> {
  const decoded = decodeText(text);
  const parsed = yield* yamlParsing(decoded);
  yield;
  return yield* yamlToJson(parsed, decoded);
}

function decodeText(bytes: string | Uint8Array): string {
  if (typeof bytes === 'string') return bytes;
  if (!isUtf8(bytes)) throw yamlError('invalid leading UTF-8 octet');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
