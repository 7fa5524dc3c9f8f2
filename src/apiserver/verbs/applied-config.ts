import {
  type ApiObject,
  type Applied,
  badRequest,
  canonicalObject,
  conversionError,
  DecodeError,
  type FieldValidation,
  isObject,
  jsonTypeOf,
  parsedJson,
  parseUntyped,
  type PlainObject,
  sentBytes,
  type SentJson,
  StatusError,
  withMeta,
  YamlBody,
} from '../../api/index.ts';
import type { Steps } from '../../base/index.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Resource, WriteContext } from '../resource.ts';

export interface AppliedConfigOptions {
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

/** A configuration from the client, parsed once and applied as often as needed. */
export class AppliedConfig {
  readonly #config: PlainObject;
  readonly #duplicates: readonly string[];
  readonly #options: AppliedConfigOptions;

  private constructor({ config, duplicates }: Config, options: AppliedConfigOptions) {
    this.#config = config;
    this.#duplicates = duplicates;
    this.#options = options;
  }

  static *reading(body: SentJson, options: AppliedConfigOptions): Steps<AppliedConfig> {
    return new AppliedConfig(yield* readConfig(body), options);
  }

  /** Applies the configuration to the object, or to a new one; the result is canonical, with defaults and managedFields. */
  async applyTo(
    current: ApiObject | undefined,
    { resource, services }: Endpoint,
    context: WriteContext,
  ): Promise<ApiObject> {
    const { force } = this.#options;
    const applied = await services.ownership.apply(this.#config, current, { resource, context, force });
    await context.pause?.();
    const object = applied.object === current ? { ...current } : decodeApplied(applied, this.#config, resource);
    object.metadata = withMeta(object.metadata, { managedFields: applied.managedFields });
    this.#reportDuplicates(context);
    return object;
  }

  #reportDuplicates(context: WriteContext): void {
    const duplicates = this.#duplicates;
    const { fieldValidation } = this.#options;
    if (duplicates.length === 0 || fieldValidation === 'Ignore') return;
    if (fieldValidation === 'Warn') {
      for (const text of duplicates) context.warn(text);
      return;
    }
    const errors = `yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`;
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${errors}`);
  }
}

interface Config {
  readonly config: PlainObject;
  readonly duplicates: readonly string[];
}

const OPENING_BRACE = 0x7b;
/** Allowed in JSON, but not in YAML. */
const DELETE_CHARACTER = 0x7f;

function* readConfig(body: SentJson): Steps<Config> {
  const { value, duplicates } = readJson(body) ?? (yield* readYaml(sentBytes(body)));
  if (value === null) return { config: {}, duplicates };
  if (isObject(value)) return { config: value, duplicates };
  const problem = `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
}

/** JSON is also YAML, and parsed much faster; undefined when it is not JSON, or when YAML's errors would differ. */
function readJson(body: SentJson): { readonly value: unknown; readonly duplicates: readonly string[] } | undefined {
  const bytes = sentBytes(body);
  if (bytes[0] !== OPENING_BRACE || bytes.includes(DELETE_CHARACTER)) return undefined;
  try {
    const parsed = parsedJson(body);
    return parsed.mayHaveDuplicates ? undefined : { value: parseUntyped(parsed), duplicates: [] };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function* readYaml(body: Uint8Array): Steps<{ readonly value: unknown; readonly duplicates: readonly string[] }> {
  try {
    const parsed = yield* YamlBody.parsing(body);
    yield;
    return { value: parsed.untyped(), duplicates: parsed.duplicates };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const step = error.message.startsWith('yaml: ') ? 'error converting YAML to JSON: ' : '';
    throw badRequest(`error decoding YAML: ${step}${error.message}`, { cause: error });
  }
}

/** Decodes the merged object, and fills in defaults. */
function decodeApplied({ object }: Applied, config: PlainObject, resource: Resource): ApiObject {
  try {
    const decoded = canonicalObject(object, resource.type, { defaults: true, sortsRaw: true });
    resource.strategy.applyDefaults?.(decoded);
    return decoded;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw notConvertible(conversionError(object, resource.type) ?? error.message, config, resource);
  }
}

function notConvertible(why: string, config: PlainObject, { group, version, kind }: Resource): StatusError {
  const metadata = isObject(config['metadata']) ? config['metadata'] : {};
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const kindText = `${group}/${version}, Kind=${kind}`;
  const label = `${text(metadata['namespace'])}/${text(metadata['name'])}; ${kindText}`;
  const message =
    `failed to convert new object (${label}) to proper version: ` +
    `unable to convert unstructured object to ${kindText}: ${why}`;
  return new StatusError({ code: 500, message });
}
