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
import { yamlJson } from './yaml-json.ts';

/**
 * A parsed YAML text that is not decoded into a type yet. Of several documents the first one is used.
 *
 * The constructor throws a DecodeError for text that is not YAML, cannot be JSON, or expands too much through aliases.
 */
export class YamlBody {
  readonly node: JsonNode;
  readonly #duplicates: readonly string[];

  constructor(text: string | Uint8Array, json = allAtOnce(yamlJson(text))) {
    this.node = json.node;
    this.#duplicates = json.duplicates;
  }

  /** Parses a long text in steps. */
  static *parsing(text: string | Uint8Array): Steps<YamlBody> {
    return new YamlBody(text, yield* yamlJson(text));
  }

  /** Duplicate keys, such as `line 5: key "name" already set in map`. */
  get duplicates(): readonly string[] {
    return this.#duplicates;
  }

  /** The untyped value, see `parseUntyped`. */
  untyped(): unknown {
    return untypedValue(this.node);
  }

  get typeMeta(): TypeMeta {
    return typeMetaOfNode(this.node);
  }

  /** Decodes into a type; duplicate keys are reported as problems, before all others. */
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
