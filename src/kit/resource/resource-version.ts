import type { CustomResourceDefinitionVersion } from '../../api/types/apiextensions/v1.d.ts';
import { type Columns, columnsOf, pathText } from './columns.ts';
import type { PathTo } from './recorded-path.ts';
import type { OlderOptions, ScaleOptions, StatusSource, VersionOptions } from './resource-options.ts';
import { type Rules, withRules } from './rules.ts';
import { SchemaError } from './schema-problem.ts';
import { jsonSchemaOf, type SchemaSource } from './schema-source.ts';
import type { Structural } from './schema-words.ts';
import { structuralOf } from './structural.ts';

/** Options of a version without their compile-time types. */
export interface AnyVersionOptions extends Omit<
  VersionOptions<SchemaSource, StatusSource>,
  'columns' | 'scale' | 'selectableFields'
> {
  readonly columns?: Columns<never>;
  readonly scale?: ScaleOptions<never>;
  readonly selectableFields?: readonly PathTo<never>[];
}

/** One version of a kind, and its part of the definition. */
export class ResourceVersion {
  readonly name: string;
  /** The schema of whole objects. */
  readonly schema: Structural;
  readonly #options: AnyVersionOptions;

  constructor(name: string, kind: string, options: AnyVersionOptions) {
    this.name = name;
    this.#options = options;
    this.schema = objectSchema(`${kind} of version "${name}"`, options);
  }

  get hasStatus(): boolean {
    return this.#options.status !== undefined;
  }

  /** The version's entry in a definition. */
  definition(flags: {
    readonly isStored: boolean;
    readonly older?: OlderOptions<never, never, unknown, unknown>;
  }): CustomResourceDefinitionVersion {
    const { columns, scale, selectableFields, status } = this.#options;
    const { served = true, deprecated = false } = flags.older ?? {};
    const text = (path: PathTo<never>): string => pathText(path, `a path of version "${this.name}"`);
    const subresources = {
      ...(status === undefined ? {} : { status: {} }),
      ...(scale === undefined
        ? {}
        : {
            scale: {
              specReplicasPath: text(scale.replicas),
              statusReplicasPath: text(scale.statusReplicas),
              ...(scale.selector === undefined ? {} : { labelSelectorPath: text(scale.selector) }),
            },
          }),
    };
    return {
      name: this.name,
      served,
      storage: flags.isStored,
      ...(deprecated === false ? {} : { deprecated: true }),
      ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
      schema: { openAPIV3Schema: this.schema },
      ...(Object.keys(subresources).length === 0 ? {} : { subresources }),
      ...(columns === undefined ? {} : { additionalPrinterColumns: columnsOf(columns, this.schema) }),
      ...(selectableFields === undefined
        ? {}
        : { selectableFields: selectableFields.map((path) => ({ jsonPath: text(path) })) }),
    };
  }
}

function objectSchema(subject: string, { spec, status, rules = {}, description }: AnyVersionOptions): Structural {
  const parts = { spec: partOf(spec, 'spec'), ...(status === undefined ? {} : { status: partOf(status, 'status') }) };
  const problems = Object.values(parts).flatMap((part) => part.problems);
  if (problems.length > 0) throw new SchemaError(subject, problems);
  const isLeftOut = canBeLeftOut(parts.spec.schema, rules);
  const specSchema = isLeftOut ? { default: {}, ...parts.spec.schema } : parts.spec.schema;
  return withRules(
    {
      type: 'object',
      ...(description === undefined ? {} : { description }),
      ...(isLeftOut ? {} : { required: ['spec'] }),
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { type: 'object' },
        spec: specSchema,
        ...(parts.status === undefined ? {} : { status: parts.status.schema }),
      },
    },
    rules,
  );
}

function partOf(source: SchemaSource, path: string): ReturnType<typeof structuralOf> {
  const part = structuralOf(jsonSchemaOf(source, path), path);
  if (part.schema.type === 'object' || part.problems.length > 0) return part;
  const problem = { path, problem: 'it is not an object', instead: 'describe an object with fields' };
  return { schema: part.schema, problems: [problem] };
}

/** True if an empty spec is valid: it is then filled in, so that its defaults apply, and readers always find it. */
function canBeLeftOut(spec: Structural, rules: Rules): boolean {
  const needed = (spec.required ?? []).filter((name) => spec.properties?.[name]?.default === undefined);
  const narrowing = [spec.minProperties, spec.anyOf, spec.oneOf, spec.allOf, spec.not, spec.default];
  const isRuled = Object.values(rules).some((rule) => typeof rule === 'string' || (rule.at ?? 'spec') === 'spec');
  return needed.length === 0 && !isRuled && narrowing.every((word) => word === undefined);
}
