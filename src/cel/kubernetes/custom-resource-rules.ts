import type { Shape } from '../../api/index.ts';
import type { Environment } from '../environment.ts';
import { optionalOf } from '../type-terms/index.ts';
import { baseEnvironment, type MinorVersion, STORED } from './base-environment.ts';
import { DeclProvider } from './decl-provider.ts';
import { type DeclType, nameObjects, sizeAlong } from './decl-type.ts';
import { schemaShape } from './schema-shape.ts';
import { limits } from './limits.ts';
import { ruleType } from './schema-type.ts';
import type { SizeEstimator } from '../cost/estimate.ts';

/** The environments of the rules at one place of a CustomResourceDefinition's schema. */
export interface RuleEnvironment {
  /** `self` and `oldSelf`, bound to raw JSON. */
  readonly environment: Environment;
  /** For rules with `optionalOldSelf`: there `oldSelf` is bound to an Optional of what `value` makes of it. */
  readonly withOptionalOldSelf: Environment;
  readonly type: DeclType;
  /** How large what rules see can be. */
  readonly sizes: SizeEstimator;
  /** How often data of this schema can occur in one object. */
  readonly maxCardinality: bigint;
  /** Raw JSON as a value of the language. */
  value(raw: unknown): ReturnType<ReturnType<typeof schemaShape>['convert']>;
}

export interface RuleOptions {
  /** For new rules, the version that they must work in; left out for stored ones. */
  readonly version?: MinorVersion;
  /** What messages call the type of `self`. */
  readonly typeName?: string;
  /** The type of the schema, where it is known already. */
  readonly type?: DeclType;
}

/** Prepares the evaluation of rules about data at a place of a type; nothing when expressions cannot see such data. */
export function ruleEnvironment(place: Shape, options: RuleOptions = {}): RuleEnvironment | undefined {
  const declared = options.type ?? ruleType(place);
  if (declared === undefined) return undefined;
  const version = options.version ?? STORED;
  const named = nameObjects(declared, options.typeName ?? 'selfType');
  const shape = schemaShape(place);
  const base = baseEnvironment(version).extend({
    types: [new DeclProvider([named], { allowsKeywords: version >= 31 })],
    variables: [{ name: 'self', type: named.type, shape }],
  });
  const hasOldSelf = version >= 24;
  return {
    environment: hasOldSelf ? base.extend({ variables: [{ name: 'oldSelf', type: named.type, shape }] }) : base,
    withOptionalOldSelf: hasOldSelf
      ? base.extend({ variables: [{ name: 'oldSelf', type: optionalOf(named.type) }] })
      : base,
    type: declared,
    sizes: { sizeAt: ([, ...path]) => sizeAlong(path, declared) },
    maxCardinality: BigInt(Math.floor(limits.requestBytes / (declared.minSize + 1))),
    value: (raw) => shape.convert(raw),
  };
}
