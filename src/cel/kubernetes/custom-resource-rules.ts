import type { MinorVersion } from '../../base/index.ts';
import type { Shape } from '../../api/index.ts';
import type { Environment } from '../environment.ts';
import { optionalOf } from '../type-terms/index.ts';
import { baseEnvironment, STORED } from './base-environment.ts';
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
  /** For rules with `optionalOldSelf`: there `oldSelf` is bound to an Optional of `value(oldSelf)`. */
  readonly withOptionalOldSelf: Environment;
  readonly type: DeclType;
  /** Size bounds of the data that rules see. */
  readonly sizes: SizeEstimator;
  /** Max occurrences of this schema in one object. */
  readonly maxCardinality: bigint;
  /** Converts raw JSON to a CEL value. */
  value(raw: unknown): ReturnType<ReturnType<typeof schemaShape>['convert']>;
}

/** What is known about a rule's schema before it is compiled. */
export interface RuleOptions {
  /** For new rules, the version they must work in; absent for stored ones. */
  readonly version?: MinorVersion;
  /** The name of the type of `self` in messages. */
  readonly typeName?: string;
  /** The schema's type, if already known. */
  readonly type?: DeclType;
}

/** Prepares the evaluation of rules at a place of a type; undefined when expressions cannot see such data. */
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
